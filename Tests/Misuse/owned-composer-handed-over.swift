// refused: sending 'composer' risks causing data races
//
// A composer that the main actor owns cannot be handed over.
import Compose

@MainActor
func serve(_ composer: Counter) -> Composed<Counter.State, Counter.Action> {
  Composed(sending: composer)
}
