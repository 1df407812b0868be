// Parallel requests with a limit
//
// Problem: A hundred pictures must be loaded, but at most two at a time.
//
// Words: concurrency limit, maxConcurrent, download queue, batch download, task group
//
// Why: `merge(maxConcurrent:)` subscribes to the next request when one has completed. The requests
// are not started before that, because a single is lazy.
//
// Ends: When all requests have completed. The first error fails the result and cancels the requests
// that run; a request with a `catch` of its own does not. Disposing of the subscription cancels
// them too.
//
// See: merge(maxConcurrent:), concatMap, Reactive/Combining

import Reactive
import ReactiveTesting
import Testing

/// The results of the requests, each when it arrives; `limit` requests run at the same time.
func results<Request: Sendable, Reply: Sendable>(
  of requests: [Request], atOnce limit: Int,
  load: @escaping @Sendable (Request) -> Single<Reply>
) -> Observable<(Request, Reply)> {
  Observable.from(requests)
    .map { request in load(request).map { (request, $0) }.asObservable() }
    .merge(maxConcurrent: limit)
}

@Test func `five pictures, two at a time, take three turns`() {
  let scheduler = TestScheduler(initialClock: 0)
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 60) {
    results(of: [1, 2, 3, 4, 5], atOnce: 2) { number in
      Single<String>.just("picture").delaySubscription(.seconds(2), scheduler: scheduler)
    }
    .map { "\($1) \($0)" }
  }
  #expect(
    observer.events == [
      .next(2, "picture 1"), .next(2, "picture 2"), .next(4, "picture 3"),
      .next(4, "picture 4"), .next(6, "picture 5"), .completed(6),
    ])
}
