import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimedGateTests {
  @Test func `a timer takes the place of the one before`() {
    #expect(play("ab-----|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b---|")
  }

  @Test func `a timer of a scheduler of another kind is replaced and fires`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.debounce(.seconds(2), scheduler: scheduler).write(to: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.fire(0)
    #expect(log.entries.isEmpty)
    scheduler.fire(1)
    scheduler.fire(1)
    #expect(log.entries == ["2"])
    source.onNext(3)
    subscription.dispose()
    scheduler.fire(2)
    #expect(log.entries == ["2"])
  }

  @Test func `a timer that has begun to fire when it is replaced does nothing`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.timeout(.seconds(2), scheduler: scheduler)
      .do(onNext: { _ in onAnotherThread { scheduler.fire(0) } })
      .write(to: log)
    source.onNext(1)
    #expect(log.entries == ["1"])
    scheduler.fire(1)
    #expect(log.entries == ["1", "x"])
    subscription.dispose()
  }

  @Test func `a timer that waits keeps nothing of a subscription that is disposed of`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = PublishSubject<Int>()
    #expect(
      isReleased { token in
        let subscription = source.debounce(.seconds(5), scheduler: scheduler)
          .subscribe(onNext: { _ in token.hold() })
        source.onNext(1)
        subscription.dispose()
      })
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
