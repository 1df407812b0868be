// refused: 'state' is a get-only property
//
// Behind a handle only actions change the state.
import Compose

func reset(_ handle: Composed<Counter.State, Counter.Action>) {
  handle.state = Counter.State()
}
