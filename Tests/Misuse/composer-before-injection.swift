// refused: sending 'composer' risks causing data races
//
// A composer is created in the call that injects its dependencies.
import Compose

func serve() {
  let composer = Counter()
  let handle = Composed(sending: composer) { $0.clock = MainScheduler.instance }
  handle.send(.add(1))
}
