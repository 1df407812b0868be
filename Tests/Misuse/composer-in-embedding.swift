// refused: capture of 'self' with non-Sendable type
//
// What makes a parent's action of a child's is called wherever the child's effect emits.
import Compose

extension Counter {
  func reduce(_ child: Counter, _ state: inout State, _ action: Action) -> Observable<
    Effect<Action>
  > {
    reduce(child, &state, action) { _ in .add(self.note.count) }
  }
}
