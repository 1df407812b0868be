import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimedGateTests {
  @Test func `a timed gate replaces its timer`() {
    #expect(play("ab-----|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b---|")
  }

  @Test func `a timed gate replaces timers of a custom scheduler`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.debounce(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.fire(0)
    #expect(log.events.isEmpty)
    scheduler.fire(1)
    scheduler.fire(1)
    #expect(log.events == ["2"])
    source.onNext(3)
    subscription.dispose()
    scheduler.fire(2)
    #expect(log.events == ["2"])
  }

  @Test func `a timed gate ignores a replaced timer that fires on another thread`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.timeout(.seconds(2), scheduler: scheduler)
      .do(onNext: { _ in onAnotherThread { scheduler.fire(0) } })
      .record(in: log)
    source.onNext(1)
    #expect(log.events == ["1"])
    scheduler.fire(1)
    #expect(log.events == ["1", "x"])
    subscription.dispose()
  }

  @Test func `a pending timer does not retain a disposed subscription`() {
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

  @Test func `a timed gate cancels its timer with the subscription`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    let subscription = Observable.never().buffer(
      timeSpan: .seconds(5), count: 9, scheduler: scheduler
    )
    .subscribe(onNext: { (buffer: [Int]) in log.append(buffer.count) })
    scheduler.advanceTo(7)
    subscription.dispose()
    scheduler.advanceTo(30)
    #expect(log.events == [0])
  }
}
