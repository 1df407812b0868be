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

  @Test func `the first passes at once and the last when the time is over`() {
    let observer = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(210, 1), .next(230, 3), .next(250, 4), .next(300, 5), .next(320, 6), .completed(320),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 315)])
  }

  @Test func `without latest only the first passes`() {
    let observer = scheduler.start {
      source.throttle(.seconds(20), latest: false, scheduler: scheduler)
    }
    #expect(
      observer.events == [
        .next(210, 1), .next(245, 4), .next(300, 5), .completed(315),
      ]
    )
  }

  @Test func `an error does not wait`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .error(218, TestError.any),
    ])
    let observer = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .error(218, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 218)])
  }

  @Test func `disposal drops what is due`() {
    let observer = scheduler.start(disposed: 220) {
      source.throttle(.seconds(20), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `a timer that had begun to fire when it was replaced emits nothing`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.throttle(.seconds(2), scheduler: scheduler).write(to: log)
    source.onNext(1)
    source.onNext(2)
    scheduler.moveClock(by: 3)
    source.onNext(3)
    source.onNext(4)
    source.onCompleted()
    scheduler.fire(0)
    #expect(log.entries == ["1", "3"])
    scheduler.fire(1)
    #expect(log.entries == ["1", "3", "4", "|"])
    subscription.dispose()
  }

  @Test func `a clock that is set back makes nobody wait longer than the interval`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.throttle(.seconds(2), scheduler: scheduler).write(to: log)
    source.onNext(1)
    scheduler.moveClock(by: -3_600)
    source.onNext(2)
    #expect(scheduler.dueTimes.map(\.nanoseconds) == [2_000_000_000])
    scheduler.fire(0)
    #expect(log.entries == ["1", "2"])
    subscription.dispose()
  }

  @Test(arguments: [1, 3, 7, 33, 100, 333, 1_000])
  func `elements that are as far apart as the time all pass`(milliseconds: Int) {
    let scheduler = TestScheduler(
      initialClock: 1_000, resolution: 0.001, simulateProcessingDelay: false)
    let log = Log<Int>()
    let time = RxTimeInterval.milliseconds(milliseconds)
    let subscription = Observable<Int>.interval(time, scheduler: scheduler)
      .take(1_000)
      .throttle(time, latest: false, scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    scheduler.start()
    #expect(log.count == 1_000)
    subscription.dispose()
  }

  @Test func `a clock that is set does not matter`() {
    let scheduler = SetClockScheduler()
    let (source, log) = (PublishSubject<Int>(), Log<Int>())
    let subscription = source.throttle(.seconds(20), latest: false, scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    source.onNext(1)
    scheduler.set(now: Date(timeIntervalSince1970: 5_000), uptime: 19)
    source.onNext(2)
    scheduler.set(now: Date(timeIntervalSince1970: 0), uptime: 20)
    source.onNext(3)
    #expect(log.entries == [1, 3])
    subscription.dispose()
  }
}

/// A scheduler whose time of day is set, while its uptime goes on.
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
