// refused: passing closure as a 'sending' parameter risks causing data races
//
// A composer that belongs to the main actor is not read from another thread.
import Compose

@MainActor
func watch(_ composer: Counter) {
  Task.detached { print(composer.state.count) }
}
