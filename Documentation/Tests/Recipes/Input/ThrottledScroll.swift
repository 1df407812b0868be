// Throttled scroll or mouse
//
// Problem: A scroll view or a mouse reports hundreds of positions a second; the header needs ten,
// and the last one must not be missed.
//
// Words: scroll events, mouse move, throttle latest, rate of updates, drag, resize
//
// Why: `throttle` emits the first position at once and then the newest one of each period, so the
// view reacts immediately and still ends at the right place. `debounce` would wait until the
// scrolling stops.
//
// Ends: With the source, after the held position. It fails with the source. Disposing of the
// subscription drops the held position and its timer.
//
// See: throttle, debounce, sample, distinctUntilChanged, Reactive/Timing

import Reactive
import ReactiveTesting
import Testing

/// Whether the header is small, looked at ten times a second at most.
func isHeaderSmall(
  at offsets: Observable<Double>, on scheduler: any SchedulerType
) -> Observable<Bool> {
  offsets
    .throttle(.milliseconds(100), scheduler: scheduler)
    .map { $0 > 64 }
    .distinctUntilChanged()
}

@Test func `the first and the last position of each period count`() {
  let scheduler = TestScheduler(
    initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
  let offsets = scheduler.createHotObservable([
    .next(10, 0.0), .next(20, 30), .next(30, 70), .next(40, 60), .next(300, 80), .next(310, 90),
  ])
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 1_000) {
    isHeaderSmall(at: offsets.asObservable(), on: scheduler)
  }
  // The 70 of the first period is replaced by the 60 before it is looked at.
  #expect(observer.events == [.next(10, false), .next(300, true)])
}
