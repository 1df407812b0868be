import Reactive
import ReactiveTesting

/// What `body` makes, subscribed at 200 while a test's scheduler stands in for the main queue.
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

/// Runs `body`, and then what it scheduled, while a test's scheduler stands in for the main queue.
@MainActor
func inMockedTime(_ body: (TestScheduler) -> Void) {
  let scheduler = TestScheduler(initialClock: 0)
  SharingScheduler.mock(scheduler: scheduler) {
    body(scheduler)
    scheduler.start()
  }
}

/// What `transform` makes of `elements`, which come one every ten ticks from 210 on and then
/// complete: as text, `1 2 |`.
@MainActor
func written<Strategy: SharingStrategyProtocol, Input, Result: ObservableConvertibleType>(
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

/// An event as text: `1`, `|` for the completion, `x` for an error.
func text<Element>(_ event: Event<Element>) -> String {
  switch event {
  case .next(let element): "\(element)"
  case .error: "x"
  case .completed: "|"
  }
}
