import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct ThrottleTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(225, 3), .next(245, 4), .next(300, 5), .next(310, 6),
      .completed(315),
    ])
  }

  @Test func `throttle emits the first element at once and the last after its interval`() {
    let observer = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(210, 1), .next(230, 3), .next(250, 4), .next(300, 5), .next(320, 6), .completed(320),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 315)])
  }

  @Test func `throttle(latest: false) emits only the first element of an interval`() {
    let observer = scheduler.start {
      source.throttle(.seconds(20), latest: false, scheduler: scheduler)
    }
    #expect(
      observer.events == [
        .next(210, 1), .next(245, 4), .next(300, 5), .completed(315),
      ]
    )
  }

  @Test func `throttle emits an error at once`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .error(218, TestError.any),
    ])
    let observer = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .error(218, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 218)])
  }

  @Test func `disposal of throttle drops the pending element`() {
    let observer = scheduler.start(disposed: 220) {
      source.throttle(.seconds(20), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `throttle ignores a replaced timer that fires late`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.throttle(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.moveClock(by: 3)
    source.onNext(3)
    source.onNext(4)
    source.onCompleted()
    scheduler.fire(0)
    #expect(log.events == ["1", "3"])
    scheduler.fire(1)
    #expect(log.events == ["1", "3", "4", "|"])
    subscription.dispose()
  }

  @Test func `throttle waits no longer than its interval when the clock is set back`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.throttle(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    scheduler.moveClock(by: -3_600)
    source.onNext(2)
    #expect(scheduler.dueTimes.map(\.nanoseconds) == [2_000_000_000])
    scheduler.fire(0)
    #expect(log.events == ["1", "2"])
    subscription.dispose()
  }

  @Test(arguments: [1, 3, 7, 33, 100, 333, 1_000])
  func `throttle emits all elements at the distance of its interval`(milliseconds: Int) {
    let scheduler = TestScheduler(
      initialClock: 1_000, resolution: 0.001, simulateProcessingDelay: false)
    let log = EventRecorder<Int>()
    let time = RxTimeInterval.milliseconds(milliseconds)
    let subscription = Observable<Int>.interval(time, scheduler: scheduler)
      .take(1_000)
      .throttle(time, latest: false, scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    scheduler.start()
    #expect(log.count == 1_000)
    subscription.dispose()
  }

  @Test func `throttle measures with the uptime of its scheduler`() {
    let scheduler = SetClockScheduler()
    let (source, log) = (PublishSubject<Int>(), EventRecorder<Int>())
    let subscription = source.throttle(.seconds(20), latest: false, scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    source.onNext(1)
    scheduler.set(now: Date(timeIntervalSince1970: 5_000), uptime: 19)
    source.onNext(2)
    scheduler.set(now: Date(timeIntervalSince1970: 0), uptime: 20)
    source.onNext(3)
    #expect(log.events == [1, 3])
    subscription.dispose()
  }
}

/// A scheduler with separate times: a settable time of day and an uptime.
private final class SetClockScheduler: SchedulerType {
  private let times = Locked((now: Date(timeIntervalSince1970: 1_000), uptime: UInt64(0)))

  var now: Date { times.withLock { $0.now } }
  var uptimeNanoseconds: UInt64 { times.withLock { $0.uptime } }

  func set(now: Date, uptime seconds: UInt64) {
    times.withLock { $0 = (now, seconds * 1_000_000_000) }
  }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { action(state) }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { Disposables.create() }
}
