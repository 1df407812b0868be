// refused: sending 'composer' risks causing data races
//
// A composer that was handed over is accessible only through its handle.
import Compose

func serve() {
  let composer = Counter()
  let handle = Composed(sending: composer)
  handle.send(.add(1))
  print(composer.note)
}
