// refused: 'state' is a get-only property
//
// Only actions change the state of a handle's composer.
import Compose

func reset(_ handle: Composed<Counter.State, Counter.Action>) {
  handle.state = Counter.State()
}
