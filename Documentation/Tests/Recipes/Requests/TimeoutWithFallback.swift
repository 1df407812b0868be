// Timeout with a fallback
//
// Problem: When the server does not answer within three seconds, or fails, show what was stored
// instead.
//
// Words: deadline, slow network, default value, offline, timed out
//
// Why: `timeout(other:)` disposes of the slow request before it continues with the stored value, so
// that a late answer cannot replace it. `catchAndReturn` does the same for an error.
//
// Ends: With the answer, or with the stored value. It cannot fail. Disposing of the subscription
// cancels the request and the timer.
//
// See: timeout(other:), catchAndReturn, amb, Reactive/Timing

import Reactive
import ReactiveTesting
import Testing

extension PrimitiveSequence where Trait == SingleTrait {
  /// The element, or a stored one when this takes longer than three seconds or fails.
  func orStored(_ stored: Element, on scheduler: any SchedulerType) -> Single<Element>
  where Element: Sendable {
    timeout(.seconds(3), other: .just(stored), scheduler: scheduler)
      .catchAndReturn(stored)
  }
}

@Test(arguments: [
  (server: "--(n|)", shown: "--(n|)"),  // An answer after two seconds.
  (server: "------(n|)", shown: "---(s|)"),  // A slow answer: it is dropped.
  (server: "-x", shown: "-(s|)"),  // An error.
])
func `a slow or failed answer is replaced by the stored one`(server: String, shown: String) {
  let events = play(server) { $0.asSingle().orStored("s", on: $1) }
  let expected = play(shown) { source, _ in source }
  #expect(events == expected)
}
