// Batches by time or count
//
// Problem: Events for the statistics are sent together: when there are 20, and at the latest after
// five seconds.
//
// Words: batch, bulk insert, analytics, chunk, group events, flush interval
//
// Why: `buffer` closes a batch when it is full or when its time has passed. `concatMap` sends one
// batch at a time, in order; a `retry` inside repeats only the batch that failed.
//
// Ends: With the events, after the last batch was sent. It fails when a batch fails three times.
// Disposing of the subscription drops the batch that is not full.
//
// See: buffer, window, concatMap, retry(_:), Reactive/Transforming

import Reactive
import ReactiveTesting
import Testing

/// Sends events in batches, and emits the size of each batch that was sent.
func sentBatches<Event: Sendable>(
  of events: Observable<Event>, upTo limit: Int = 20, on scheduler: any SchedulerType,
  send: @escaping @Sendable ([Event]) -> Completable
) -> Observable<Int> {
  events
    .buffer(timeSpan: .seconds(5), count: limit, scheduler: scheduler)
    .filter { !$0.isEmpty }
    .concatMap { batch in send(batch).retry(3).andThen(.just(batch.count)) }
}

@Test func `a batch is sent when it is full, or after five seconds`() {
  let sizes = play("abc-d-----------e-|") { events, scheduler in
    sentBatches(of: events, upTo: 3, on: scheduler) { _ in .empty() }.map { "\($0)" }
  }
  #expect(sizes == "--3----1---------1|")
}
