import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimeoutTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `it fails when nothing comes in time, counted anew from each element`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(239, 2), .next(280, 3), .completed(290),
    ])
    let observer = scheduler.start { source.timeout(.seconds(30), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .next(239, 2), .error(269, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 269)])
  }

  @Test func `the time counts from the subscription`() {
    #expect(play("----a|") { $0.timeout(.seconds(3), scheduler: $1) } == "---x")
    #expect(play("--a--b--|") { $0.timeout(.seconds(4), scheduler: $1) } == "--a--b--|")
  }

  @Test func `the end of the source lets go of the timer`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start(disposed: 230) {
      source.timeout(.seconds(500), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(scheduler.clock == 230)
  }

  @Test func `it continues with the other and disposes of the source`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(310, 2), .error(320, TestError.any),
    ])
    let other = scheduler.createColdObservable([.next(5, 8), .next(200, 9), .completed(300)])
    let observer = scheduler.start {
      source.timeout(.seconds(50), other: other, scheduler: scheduler)
    }
    #expect(
      observer.events == [.next(210, 1), .next(265, 8), .next(460, 9), .completed(560)])
    #expect(source.subscriptions == [Subscription(200, 260)])
    #expect(other.subscriptions == [Subscription(260, 560)])
  }

  @Test func `what the other shares with the source stays connected`() {
    let source = scheduler.createColdObservable([.next(70, 1)])
    let shared = source.share()
    let observer = scheduler.start {
      shared.timeout(.seconds(50), other: shared, scheduler: scheduler)
    }
    #expect(observer.events == [.next(270, 1)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test func `a source that goes on while the other is subscribed is not heard`() {
    let source = PublishSubject<Int>()
    let other = Observable<Int>.deferred {
      source.onNext(1)
      source.onCompleted()
      return .just(2)
    }
    let observer = scheduler.start {
      source.timeout(.seconds(50), other: other, scheduler: scheduler)
    }
    #expect(observer.events == [.next(250, 2), .completed(250)])
  }

  @Test func `an error of the other passes`() {
    let observer = scheduler.start {
      Observable<Int>.never()
        .timeout(.seconds(50), other: Observable<Int>.error(TestError.any), scheduler: scheduler)
    }
    #expect(observer.events == [.error(250, TestError.any)])
  }

  @Test func `disposal disposes of the other`() {
    let other = scheduler.createColdObservable([.next(500, 8)])
    let observer = scheduler.start(disposed: 300) {
      Observable<Int>.never().timeout(.seconds(50), other: other, scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(other.subscriptions == [Subscription(250, 300)])
  }

  @Test func `a timer that had begun to fire when an element came means nothing`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.timeout(.seconds(2), scheduler: scheduler).write(to: log)
    source.onNext(1)
    scheduler.fire(0)
    #expect(log.entries == ["1"])
    scheduler.fire(1)
    #expect(log.entries == ["1", "x"])
    source.onNext(2)
    #expect(log.entries == ["1", "x"])
    subscription.dispose()
  }
}
