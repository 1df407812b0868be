import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// What graphs of operators drawn at random have shown: when a source is subscribed to, and when not.
@Suite(.workerPool) struct LateSubscriptionTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `flatMap subscribes to nothing that its closure returns after disposing`() {
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

  @Test func `startWith subscribes to nothing once its elements were enough`() {
    let source = scheduler.createHotObservable([.next(210, 1)])
    let one = scheduler.start { source.startWith(7).take(1) }
    #expect(one.events == [.next(200, 7), .completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `multicast with a selector does not connect once its result is over`() {
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

  @Test func `who retries while the end of what is shared is told begins a new connection at once`()
  {
    let source = scheduler.createColdObservable(
      [.error(10, TestError.any)] as [Recorded<Event<Int>>])
    let shared = source.share()
    let observer = scheduler.start { Observable.merge(shared.retry(2), shared) }
    #expect(observer.events == [.error(210, TestError.any)])
    // The second observer's error ends the result.
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(210, 210)])
  }

  @Test func `a timeout that is retried lets go of its source before it begins again`() {
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

  @Test func `flatMapFirst takes what is sent by the end of an inner observable`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let subscription = subject.flatMapFirst { element in
      Observable.just(element).do(afterCompleted: { if element == 1 { subject.onNext(2) } })
    }
    .write(to: log)
    subject.onNext(1)
    #expect(log.entries == ["1", "2"])
    subscription.dispose()
  }

  @Test func `flatMap calls no closure while its error is on its way down`() {
    let subject = PublishSubject<Int>()
    let calls = Log<Int>()
    let subscription = subject.flatMap { element -> Observable<Int> in
      calls.append(element)
      return .error(TestError.any)
    }
    .catchAndReturn(0)
    .subscribe(onNext: { subject.onNext($0) })
    subject.onNext(1)
    #expect(calls.entries == [1])
    subscription.dispose()
  }

  @Test func `retry(when:) subscribes again before its trigger goes on`() {
    let source = scheduler.createColdObservable([.error(10, TestError.any, Int.self)])
    let log = Log<String>()
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
    #expect(log.entries == ["subscribed", "trigger 1", "subscribed", "trigger 2"])
  }
}
