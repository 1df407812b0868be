// refused: capture of 'self' with non-Sendable type
//
// An effect runs elsewhere and may outlive the composer; it captures what it needs instead.
import Compose

extension Counter {
  func load() -> Observable<Effect<Action>> {
    .run { effect in effect.onNext(.send(.add(try await self.service.load()))) }
  }
}
