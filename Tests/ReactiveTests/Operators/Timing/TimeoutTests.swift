import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimeoutTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `timeout fails when its duration passes after an element`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(239, 2), .next(280, 3), .completed(290),
    ])
    let observer = scheduler.start { source.timeout(.seconds(30), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .next(239, 2), .error(269, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 269)])
  }

  @Test func `timeout drops elements at once while the other observable emits`() {
    let source = PublishSubject<Token>()
    let isGone = EventRecorder<Bool>()
    let other = Observable<Token>.create { _ in
      isGone.append(
        isReleased { token in
          let sent = Locked<Token?>(token)
          onAnotherThread { sent.replace(with: nil).map { source.onNext($0) } }
        })
      return Disposables.create()
    }
    let subscription = source.timeout(.seconds(1), other: other, scheduler: scheduler).subscribe()
    scheduler.start()
    #expect(isGone.events == [true])
    subscription.dispose()
  }

  @Test func `timeout counts its duration from the subscription`() {
    #expect(play("----a|") { $0.timeout(.seconds(3), scheduler: $1) } == "---x")
    #expect(play("--a--b--|") { $0.timeout(.seconds(4), scheduler: $1) } == "--a--b--|")
  }

  @Test func `timeout cancels its timer when the source ends`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start(disposed: 230) {
      source.timeout(.seconds(500), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.any)])
    #expect(scheduler.clock == 230)
  }

  @Test func `timeout(other:) disposes of the source and continues with the other`() {
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

  @Test func `timeout(other:) keeps a shared source connected that both observables use`() {
    let source = scheduler.createColdObservable([.next(70, 1)])
    let shared = source.share()
    let observer = scheduler.start {
      shared.timeout(.seconds(50), other: shared, scheduler: scheduler)
    }
    #expect(observer.events == [.next(270, 1)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test func `timeout(other:) ignores the source while it subscribes to the other`() {
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

  @Test func `timeout(other:) ends with an error of the other`() {
    let observer = scheduler.start {
      Observable<Int>.never()
        .timeout(.seconds(50), other: Observable<Int>.error(TestError.any), scheduler: scheduler)
    }
    #expect(observer.events == [.error(250, TestError.any)])
  }

  @Test func `disposal of timeout(other:) disposes of the other`() {
    let other = scheduler.createColdObservable([.next(500, 8)])
    let observer = scheduler.start(disposed: 300) {
      Observable<Int>.never().timeout(.seconds(50), other: other, scheduler: scheduler)
    }
    #expect(observer.events.isEmpty)
    #expect(other.subscriptions == [Subscription(250, 300)])
  }

  @Test func `timeout ignores a replaced timer that fires late`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.timeout(.seconds(2), scheduler: scheduler).record(in: log)
    source.onNext(1)
    scheduler.fire(0)
    #expect(log.events == ["1"])
    scheduler.fire(1)
    #expect(log.events == ["1", "x"])
    source.onNext(2)
    #expect(log.events == ["1", "x"])
    subscription.dispose()
  }
}
