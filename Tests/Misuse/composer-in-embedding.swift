// refused: capture of 'self' with non-Sendable type
//
// The closure that makes a parent's action of a child's runs on the thread of the child's effect.
import Compose

extension Counter {
  func makeChild() -> Child<State, Action, Counter> {
    Child(\State.self, { _ in .add(self.note.count) }) { Counter() }
  }
}
