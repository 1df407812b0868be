// refused: sending 'composer' risks causing data races
//
// A composer that was handed over is reached through its handle alone.
import Compose

func serve() {
  let composer = Counter()
  let handle = Composed(sending: composer)
  handle.send(.add(1))
  print(composer.note)
}
