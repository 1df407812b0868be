// refused: sending 'composer' risks causing data races
//
// What the main actor owns is not handed over to others.
import Compose

@MainActor
func serve(_ composer: Counter) -> Composed<Counter.State, Counter.Action> {
  Composed(sending: composer)
}
