// refused: mutable capture of 'inout' parameter 'state' is not allowed in concurrently-executing code
//
// An effect does not change the state; it sends an action.
import Compose

extension Counter {
  func load(_ state: inout State) -> Observable<Effect<Action>> {
    .run { _ in state.count += 1 }
  }
}
