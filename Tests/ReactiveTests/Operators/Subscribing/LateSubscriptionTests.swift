import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Regressions that random graphs of operators found: when a source is subscribed to, and when not.
@Suite(.workerPool) struct LateSubscriptionTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `flatMap does not subscribe when its closure disposes of the subscription`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let inner = scheduler.createColdObservable([.next(5, 1)])
    let own = SerialDisposable()
    scheduler.scheduleAt(200) {
      own.disposable = source.flatMap { _ in
        own.dispose()
        return inner.asObservable()
      }.subscribe()
    }
    scheduler.start()
    #expect(inner.subscriptions.isEmpty)
  }

  @Test func `catch subscribes to nothing when its handler has disposed of the subscription`() {
    let source = scheduler.createHotObservable(
      [.error(210, TestError.any)] as [Recorded<Event<Int>>])
    let inner = scheduler.createColdObservable([.next(5, 1)])
    let own = SerialDisposable()
    scheduler.scheduleAt(200) {
      own.disposable = source.catch { _ in
        own.dispose()
        return inner.asObservable()
      }.subscribe()
    }
    scheduler.start()
    #expect(inner.subscriptions.isEmpty)
  }

  @Test func `an operator subscribes to nothing that its closure returns after disposing`() {
    typealias Closure = @Sendable () -> Observable<Int>
    let inner = scheduler.createColdObservable([.next(5, 1)])
    let operators: [(@escaping Closure) -> Observable<Int>] = [
      { closure in .deferred { closure() } },
      { closure in .using({ CompositeDisposable() }, observableFactory: { _ in closure() }) },
      { closure in
        Observable.never().multicast({ PublishSubject<Int>() }, selector: { _ in closure() })
      },
      { closure in
        Observable.never().retry(when: { (_: Observable<any Error>) in closure() })
      },
    ]
    for make in operators {
      let (source, own) = (PublishSubject<Int>(), SerialDisposable())
      let observable = make {
        own.dispose()
        return inner.asObservable()
      }
      own.disposable = source.flatMap { _ in observable }.subscribe()
      source.onNext(1)
    }
    scheduler.start()
    #expect(inner.subscriptions.isEmpty)
  }

  @Test func `startWith does not subscribe when its elements end the subscription`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let one = scheduler.start { source.startWith(7).take(1) }
    #expect(one.events == [.next(200, 7), .completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `multicast with a selector does not connect when its result has ended`() {
    let source = scheduler.createColdObservable([.next(5, 1)])
    let observer = scheduler.start {
      source.startWith(7, 8).multicast(
        { PublishSubject<Int>() }, selector: { (shared: Observable<Int>) in shared }
      )
      .take(1)
    }
    #expect(observer.events == [.next(200, 7), .completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `retry of a shared source connects again during the end`() {
    let source = scheduler.createColdObservable(
      [.error(10, TestError.any)] as [Recorded<Event<Int>>])
    let shared = source.share()
    let observer = scheduler.start { Observable.merge(shared.retry(2), shared) }
    #expect(observer.events == [.error(210, TestError.any)])
    // The second observer's error ends the result.
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(210, 210)])
  }

  @Test func `a retried timeout disposes of its source before the next subscription`() {
    let source = scheduler.createHotObservable([.next(900, 1)])
    let observer = scheduler.start {
      source.share().timeout(.seconds(30), scheduler: scheduler).retry(2)
    }
    #expect(observer.events == [.error(260, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 230), Subscription(230, 260)])
  }

  @Test func `the source that catch continues with keeps the connection of the failed source`() {
    let source = scheduler.createHotObservable([.next(215, 1), .next(225, 2)])
    let failing = scheduler.createHotObservable(
      [.error(220, TestError.any)] as [Recorded<Event<Int>>])
    let shared = source.share()
    let observer = scheduler.start { failing.sample(shared).catch { _ in shared } }
    #expect(observer.events == [.next(225, 2)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test func `flatMapFirst accepts an element that is sent at the end of an inner observable`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = subject.flatMapFirst { element in
      Observable.just(element).do(afterCompleted: { if element == 1 { subject.onNext(2) } })
    }
    .record(in: log)
    subject.onNext(1)
    #expect(log.events == ["1", "2"])
    subscription.dispose()
  }

  @Test func `flatMap does not call its closure while it emits an error`() {
    let subject = PublishSubject<Int>()
    let calls = EventRecorder<Int>()
    let subscription = subject.flatMap { element -> Observable<Int> in
      calls.append(element)
      return .error(TestError.any)
    }
    .catchAndReturn(0)
    .subscribe(onNext: { subject.onNext($0) })
    subject.onNext(1)
    #expect(calls.events == [1])
    subscription.dispose()
  }

  @Test func `retry(when:) subscribes again before its notifier continues`() {
    let source = scheduler.createColdObservable([.error(10, TestError.any, Int.self)])
    let log = EventRecorder<String>()
    let observer = scheduler.start(disposed: 215) {
      Observable<Int>.deferred {
        log.append("subscribed")
        return source.asObservable()
      }
      .retry(when: { (errors: Observable<any Error>) in
        errors.flatMap { _ -> Observable<Int> in
          Observable.of(1, 2).do(onNext: { log.append("trigger \($0)") })
        }
      })
    }
    #expect(observer.events.isEmpty)
    #expect(log.events == ["subscribed", "trigger 1", "subscribed", "trigger 2"])
  }
}
