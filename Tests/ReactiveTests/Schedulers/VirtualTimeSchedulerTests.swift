import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct VirtualTimeSchedulerTests {
  @Test func `a virtual scheduler runs work by time, then by order of insertion`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<String>()
    for (time, name) in [(30, "c"), (10, "a"), (30, "d"), (20, "b")] {
      scheduler.scheduleAt(time) { log.append("\(name)\(scheduler.clock)") }
    }
    scheduler.start()
    #expect(log.events == ["a10", "b20", "c30", "d30"])
  }

  @Test func `advanceTo runs due work and moves the clock`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    for time in [10, 20, 30] { scheduler.scheduleAt(time) { log.append(time) } }
    scheduler.advanceTo(25)
    #expect(log.events == [10, 20])
    #expect(scheduler.clock == 25)
    scheduler.sleep(10)
    #expect(scheduler.clock == 35)
    #expect(log.events == [10, 20])
    scheduler.start()
    #expect(log.events == [10, 20, 30])
    #expect(scheduler.clock == 35)
  }

  @Test func `stop of a virtual scheduler takes effect after the current work`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    scheduler.scheduleAt(10) {
      log.append(10)
      scheduler.stop()
    }
    scheduler.scheduleAt(20) { log.append(20) }
    scheduler.start()
    #expect(log.events == [10])
    scheduler.start()
    #expect(log.events == [10, 20])
  }

  @Test func `scheduleRelativeVirtual does not adjust its due time`() {
    let scheduler = TestScheduler(initialClock: 10)
    let log = EventRecorder<TestTime>()
    let note = { () -> any Disposable in
      log.append(scheduler.clock)
      return Disposables.create()
    }
    _ = scheduler.schedule((), action: note)
    _ = scheduler.scheduleRelativeVirtual((), dueTime: 0, action: note)
    scheduler.start()
    #expect(log.events == [10, 11])
  }

  @Test func `disposed work of a virtual scheduler neither runs nor moves the clock`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    scheduler.scheduleRelativeVirtual((), dueTime: 50) {
      log.append(1)
      return Disposables.create()
    }
    .dispose()
    scheduler.start()
    #expect(log.events.isEmpty)
    #expect(scheduler.clock == 0)
  }

  @Test func `disposed work of a virtual scheduler is released`() {
    let scheduler = TestScheduler(initialClock: 0)
    #expect(
      isReleased { token in
        Observable<Int>.timer(.seconds(100), scheduler: scheduler)
          .subscribe(onNext: { _ in token.hold() })
          .dispose()
      }
    )
  }

  @Test func `a released virtual scheduler releases its pending work`() {
    weak var kept: Token?
    do {
      let token = Token()
      kept = token
      let scheduler = TestScheduler(initialClock: 0)
      _ = scheduler.scheduleRelative((), dueTime: .seconds(10)) {
        withExtendedLifetime(token) {}
        return Disposables.create()
      }
    }
    #expect(kept == nil)
  }

  @Test func `an interval does not retain its virtual scheduler`() {
    weak var kept: TestScheduler?
    let ticks: any Disposable
    do {
      let scheduler = TestScheduler(initialClock: 0)
      kept = scheduler
      ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe()
      scheduler.advanceTo(3)
    }
    #expect(kept == nil)
    ticks.dispose()
  }

  @Test func `work scheduled in a tick for the time of the next tick runs after that tick`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<String>()
    let subscription = Observable<Int>.interval(.seconds(2), scheduler: scheduler)
      .subscribe(onNext: { tick in
        log.append("\(tick)@\(scheduler.clock)")
        _ = scheduler.scheduleRelative((), dueTime: .seconds(2)) {
          log.append("after \(tick)@\(scheduler.clock)")
          return Disposables.create()
        }
      })
    scheduler.advanceTo(5)
    #expect(log.events == ["0@2", "1@4", "after 0@4"])
    subscription.dispose()
  }

  @Test func `an interval that its tick disposes of does not tick again`() {
    let scheduler = TestScheduler(initialClock: 0)
    let (log, subscription) = (EventRecorder<Int>(), SerialDisposable())
    subscription.disposable = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
      .subscribe(onNext: { tick in
        log.append(tick)
        if tick == 2 { subscription.dispose() }
      })
    scheduler.start()
    #expect(log.events == [0, 1, 2])
    #expect(scheduler.clock == 3)
  }

  @Test func `start of a virtual scheduler has no effect inside its work`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<Int>()
    scheduler.scheduleAt(10) {
      scheduler.start()
      log.append(scheduler.clock)
    }
    scheduler.scheduleAt(20) { log.append(scheduler.clock) }
    scheduler.start()
    #expect(log.events == [10, 20])
  }

  @Test
  func `a virtual scheduler treats negative times as zero and does not run work at infinite times`()
  {
    let scheduler = VirtualTime().scheduler
    let log = EventRecorder<Int>()
    for (number, dueTime) in [RxTimeInterval.never, .seconds(0), .seconds(-5), .seconds(.max)]
      .enumerated()
    {
      _ = scheduler.scheduleRelative(number, dueTime: dueTime) {
        log.append($0)
        return Disposables.create()
      }
    }
    scheduler.advanceTo(1_000_000_000_000)
    #expect(log.events == [1, 2])
  }

  @Test func `a period or a throttle of never has no end`() {
    let scheduler = TestScheduler(initialClock: 0)
    let log = EventRecorder<String>()
    let source = PublishSubject<Int>()
    let bag = DisposeBag()
    Observable<Int>.timer(.seconds(1), period: .never, scheduler: scheduler).record(in: log)
      .disposed(by: bag)
    source.throttle(.never, scheduler: scheduler).record(in: log, "throttled ").disposed(by: bag)
    source.onNext(1)
    source.onNext(2)
    scheduler.start()
    #expect(log.events == ["throttled 1", "0"])
  }

  @Test func `a clock that shows no number is taken for zero`() {
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    let scheduler = HistoricalScheduler(initialClock: date)
    #expect(scheduler.uptimeNanoseconds == 0)
    let log = EventRecorder<String>()
    Observable.of(1).throttle(.seconds(1), scheduler: scheduler).record(in: log).dispose()
    #expect(log.events == ["1", "|"])
  }

  @Test func `work after never does not run, and a timeout of never does not fail`() {
    let scheduler = HistoricalScheduler()
    let log = EventRecorder<String>()
    let timer = Observable<Int>.timer(.never, scheduler: scheduler).record(in: log)
    let timeout = Observable<Int>.never().timeout(.never, scheduler: scheduler).record(in: log)
    scheduler.start()
    #expect(log.events == [])
    timer.dispose()
    timeout.dispose()
  }

  @Test func `a virtual scheduler describes its clock and next due time`() {
    let scheduler = TestScheduler(initialClock: 5)
    #expect(scheduler.debugDescription == "TestScheduler(clock: 5, next: none)")
    scheduler.scheduleAt(20) {}
    scheduler.scheduleAt(10) {}
    #expect(scheduler.debugDescription == "TestScheduler(clock: 5, next: 10)")
  }

  @Test func `an interval skips no tick when virtual time advances far`() {
    let scheduler = VirtualTime().scheduler
    let log = EventRecorder<Int>()
    let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler)
    let subscription = ticks.subscribe(onNext: { log.append($0) })
    scheduler.advanceTo(1_000_000)
    #expect(log.events == Array(0..<1_000))
    subscription.dispose()
  }

  @Test func `a virtual time converter can read its scheduler's clock`() {
    let converter = Asking()
    let scheduler = VirtualTimeScheduler(initialClock: 0, converter: converter)
    converter.scheduler.withLock { $0 = scheduler }
    let log = EventRecorder<Int>()
    for time in [30, 10, 20] {
      _ = scheduler.scheduleAbsoluteVirtual(time, time: time) {
        log.append($0)
        return Disposables.create()
      }
    }
    scheduler.sleep(5)
    scheduler.start()
    #expect(log.events == [10, 20, 30])
    converter.scheduler.withLock { $0 = nil }
  }
}

/// A converter that reads the clock of its scheduler in each call.
private final class Asking: VirtualTimeConverterType {
  let scheduler = Locked<VirtualTimeScheduler<Asking>?>(nil)

  private func ask() { _ = scheduler.withLock { $0 }?.clock }

  func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSince1970: TimeInterval(virtualTime))
  }

  func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSince1970) }

  func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    TimeInterval(virtualTimeInterval)
  }

  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval) }

  func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
    ask()
    return time + offset
  }

  func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    ask()
    return lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}
