import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimedGateTests {
  @Test func `a timer takes the place of the one before`() {
    #expect(play("ab-----|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b---|")
  }

  @Test func `a timer does not outlive its subscription`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<Int>()
    let subscription = Observable.never().buffer(
      timeSpan: .seconds(5), count: 9, scheduler: scheduler
    )
    .subscribe(onNext: { (buffer: [Int]) in log.append(buffer.count) })
    scheduler.advanceTo(7)
    subscription.dispose()
    scheduler.advanceTo(30)
    #expect(log.entries == [0])
  }
}
