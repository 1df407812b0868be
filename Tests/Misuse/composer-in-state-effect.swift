// refused: capture of 'self' with non-Sendable type
//
// What the state asks for runs elsewhere too; it captures what it needs.
import Compose

extension Counter {
  func polling() -> StateEffect<Action> {
    StateEffect(id: "poll") {
      .run { effect in effect.onNext(.send(.add(try await self.service.load()))) }
    }
  }
}
