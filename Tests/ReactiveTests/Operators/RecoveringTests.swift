import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct RecoveringTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `catch goes on with another and disposes of the failed one`() {
    let a = scheduler.createHotObservable([
      .next(210, 1), .error(220, TestError.any), .next(225, 9),
    ])
    let b = scheduler.createHotObservable([.next(215, 7), .next(230, 2), .completed(240)])
    let observer = scheduler.start { a.catch { _ in b.asObservable() } }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(220, 240)])
  }

  @Test func `catch catches once`() {
    let handlers = Atomic(0)
    let caught = Observable<Int>.error(TestError.any).catch { _ in
      handlers.add(1, ordering: .relaxed)
      return .error(TestError.other)
    }
    #expect(caught.written() == "x")
    #expect(handlers.load(ordering: .relaxed) == 1)
  }

  @Test func `an error thrown by the handler ends it`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { a.catch { _ in throw TestError.other } }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.other)])
  }

  @Test func `catch passes a completion`() {
    #expect(Observable.of(1, 2).catch { _ in .just(9) }.written() == "1 2 |")
  }

  @Test func `catchAndReturn emits and completes`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { a.catchAndReturn(9) }
    #expect(observer.events == [.next(210, 1), .next(220, 9), .completed(220)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(Observable.of(1).catchAndReturn(9).written() == "1 |")
  }

  @Test func `catchAndReturn is silent when its element disposes`() {
    let own = SerialDisposable()
    let log = Log<String>()
    let subject = PublishSubject<Int>()
    own.disposable = subject.catchAndReturn(9).do(onNext: { _ in own.dispose() }).write(to: log)
    subject.onError(TestError.any)
    #expect(log.entries.isEmpty)
  }

  @Test func `retry subscribes again after each error`() {
    let a = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.any)])
    let observer = scheduler.start(disposed: 255) { a.retry() }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
    #expect(
      a.subscriptions == [
        Subscription(200, 220), Subscription(220, 240), Subscription(240, 255),
      ]
    )
  }

  @Test func `retry of a number gives up with the last error`() {
    let a = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.any)])
    let observer = scheduler.start { a.retry(2) }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .error(240, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
    #expect(Observable<Int>.error(TestError.any).retry(1).written() == "x")
    #expect(Observable<Int>.error(TestError.any).retry(0).written() == "|")
  }

  @Test func `a hundred thousand attempts need no deep stack`() {
    let attempts = Atomic(0)
    onAnotherThread {
      _ = Observable<Int>.deferred {
        attempts.add(1, ordering: .relaxed)
        return .error(TestError.any)
      }
      .retry(100_000)
      .subscribe(onError: { _ in })
    }
    #expect(attempts.load(ordering: .relaxed) == 100_000)
  }

  @Test func `a retry that is disposed of inside an element stops`() {
    let own = SerialDisposable()
    let count = Atomic(0)
    let subject = PublishSubject<Int>()
    own.disposable = subject.flatMap { _ in
      Observable.of(1, 2).concat(Observable.error(TestError.any)).retry()
    }
    .subscribe(onNext: { _ in
      if count.add(1, ordering: .relaxed).newValue == 1000 { own.dispose() }
    })
    subject.onNext(0)
    #expect(count.load(ordering: .relaxed) == 1000)
  }
}
