// refused: capture of 'self' with non-Sendable type
//
// The closure that makes a parent's action of a child's runs on the thread of the child's effect.
import Compose

extension Counter {
  func reduce(_ child: Counter, _ state: inout State, _ action: Action) -> Observable<
    Effect<Action>
  > {
    reduce(child, &state, action) { _ in .add(self.note.count) }
  }
}
