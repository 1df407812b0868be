import Reactive
import ReactiveTesting

/// Returns the events of `body`'s result, subscribed at 200 with a test scheduler as the main queue.
@MainActor
func mocked<Source: ObservableConvertibleType>(
  _ body: @escaping (TestScheduler) -> Source
) -> [Recorded<Event<Source.Element>>] {
  let scheduler = TestScheduler(initialClock: 0)
  var events: [Recorded<Event<Source.Element>>] = []
  SharingScheduler.mock(scheduler: scheduler) {
    events = scheduler.start { body(scheduler) }.events
  }
  return events
}

/// Runs `body`, then the scheduled work, with a test scheduler as the main queue.
@MainActor
func inMockedTime(_ body: (TestScheduler) -> Void) {
  let scheduler = TestScheduler(initialClock: 0)
  SharingScheduler.mock(scheduler: scheduler) {
    body(scheduler)
    scheduler.start()
  }
}

/// Returns the events of `transform` as text, `1 2 |`, for a source that emits `elements` every ten
/// ticks from 210 on and completes.
@MainActor
func recorded<Strategy: SharingStrategyProtocol, Input, Result: ObservableConvertibleType>(
  _ strategy: Strategy.Type, _ elements: [Input],
  _ transform: @escaping (SharedSequence<Strategy, Input>, TestScheduler) -> Result
) -> String {
  let events = mocked { scheduler in
    let next = elements.enumerated().map { Recorded.next(210 + 10 * $0, $1) }
    let source = scheduler.createHotObservable(next + [.completed(210 + 10 * next.count)])
    return transform(
      source.asSharedSequence(sharingStrategy: strategy, onErrorRecover: { _ in .empty() }),
      scheduler)
  }
  return events.map { text($0.value) }.joined(separator: " ")
}

/// Returns an event as text: `1`, `|` for the completion, `x` for an error.
func text<Element>(_ event: Event<Element>) -> String {
  switch event {
  case .next(let element): "\(element)"
  case .error: "x"
  case .completed: "|"
  }
}
