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
}
