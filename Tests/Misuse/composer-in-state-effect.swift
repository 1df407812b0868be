// refused: capture of 'self' with non-Sendable type
//
// A state effect runs on other threads; it must capture Sendable values.
import Compose

extension Counter {
  func polling() -> StateEffect<Action> {
    StateEffect(id: "poll") {
      .run { effect in effect.onNext(.send(.add(try await self.service.load()))) }
    }
  }
}
