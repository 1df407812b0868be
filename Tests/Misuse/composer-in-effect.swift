// refused: capture of 'self' with non-Sendable type
//
// An effect runs on other threads and may outlive the composer; it must capture Sendable values.
import Compose

extension Counter {
  func load() -> Observable<Effect<Action>> {
    .run { effect in effect.onNext(.send(.add(try await self.service.load()))) }
  }
}
