// Rate limiting
//
// Problem: A server accepts one message in two seconds; messages that come faster should wait, and
// none should be lost.
//
// Words: rate limiter, queue, pace, too many requests, 429, spacing, leaky bucket
//
// Why: `concatMap` begins the next element after the previous one has completed, and each is made
// two seconds long by an empty sequence behind it. `throttle` would drop elements.
//
// Ends: With the source, two seconds after the last element. It fails with the source at once, and
// drops the queue. The queue has no bound, so it is for bursts: in the long run the source must be
// slower.
//
// See: concatMap, throttle, delay, buffer, Reactive/Timing

import Reactive
import ReactiveTesting
import Testing

extension ObservableType where Element: Sendable {
  /// The same elements in the same order, at least `pause` apart.
  func spaced(by pause: RxTimeInterval, on scheduler: any SchedulerType) -> Observable<Element> {
    concatMap { element in
      Observable.concat(
        .just(element), .empty().delay(pause, scheduler: scheduler))
    }
  }
}

@Test func `fast elements wait for their turn, and slow ones do not`() {
  let sent = play("-abc-----d--|") { $0.spaced(by: .seconds(2), on: $1) }
  #expect(sent == "-a-b-c---d--|")
}
