// Retry with back-off
//
// Problem: A request that fails now and then should be repeated with growing pauses, but not when
// repeating cannot help.
//
// Words: exponential backoff, retryWhen, jitter, repeat failed request, network error
//
// Why: A `Backoff` holds the delays and the number of repetitions; `if` decides which errors are
// worth another attempt. The jitter spreads clients that have failed at the same moment.
//
// Ends: With the first success. It fails with the last error after three repetitions, and at once
// with an error that is not transient. Disposing of the subscription cancels the request or the
// pause.
//
// See: retry(backoff), Reactive/Backoff, Reactive/Recovering

import Reactive
import ReactiveTesting
import Testing

enum ServerError: Error { case busy, forbidden }

extension PrimitiveSequence where Trait == SingleTrait {
  /// The same request, repeated up to three times: after 1, 2 and 4 seconds, each up to a quarter longer.
  func retryingWhileBusy(
    on scheduler: any SchedulerType, jitter: Backoff.Jitter = .upTo(0.25)
  ) -> Single<Element> {
    retry(
      .exponential(base: .seconds(1), maxAttempts: 3, jitter: jitter), scheduler: scheduler,
      if: { $0 as? ServerError == .busy })
  }
}

@Test func `a busy server is asked again after 1, 2 and 4 seconds`() {
  let scheduler = TestScheduler(initialClock: 0)
  let busy = scheduler.createColdObservable([.error(1, ServerError.busy, String.self)])
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 60) {
    busy.asSingle().retryingWhileBusy(on: scheduler, jitter: .none)
  }
  let attempts = [
    Subscription(0, 1), Subscription(2, 3), Subscription(5, 6), Subscription(10, 11),
  ]
  #expect(busy.subscriptions == attempts)
  #expect(observer.events == [.error(11, ServerError.busy)])
}

@Test func `a refusal is not repeated`() {
  let scheduler = TestScheduler(initialClock: 0)
  let refused = scheduler.createColdObservable([.error(1, ServerError.forbidden, String.self)])
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 60) {
    refused.asSingle().retryingWhileBusy(on: scheduler)
  }
  #expect(refused.subscriptions == [Subscription(0, 1)])
  #expect(observer.events == [.error(1, ServerError.forbidden)])
}
