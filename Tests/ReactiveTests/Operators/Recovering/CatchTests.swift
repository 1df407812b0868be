import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct CatchTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `catch disposes of the failed source and continues with the handler's observable`() {
    let a = scheduler.createHotObservable([
      .next(210, 1), .error(220, TestError.any), .next(225, 9),
    ])
    let b = scheduler.createHotObservable([.next(215, 7), .next(230, 2), .completed(240)])
    let observer = scheduler.start { a.catch { _ in b.asObservable() } }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(220, 240)])
  }

  @Test func `catch keeps a shared source connected that both observables use`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let shared = source.share()
    let observer = scheduler.start {
      shared.map { _ -> Int in throw TestError.any }.catch { _ in shared }
    }
    #expect(observer.events == [.next(220, 2)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test func `catch disposes of the failed source after the fallback's synchronous events`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    _ = Observable<Int>.create { observer in
      let subscription = source.subscribe(observer)
      return Disposables.create {
        log.append("disposed")
        subscription.dispose()
      }
    }
    .catchAndReturn(9).record(in: log)
    source.onError(TestError.any)
    #expect(log.events == ["9", "|", "disposed"])
  }

  @Test func `catch does not handle an error of its fallback`() {
    let handlers = Atomic(0)
    let caught = Observable<Int>.error(TestError.any).catch { _ in
      handlers.add(1, ordering: .relaxed)
      return .error(TestError.other)
    }
    #expect(caught.recorded() == "x")
    #expect(handlers.load(ordering: .relaxed) == 1)
  }

  @Test func `catch ends with an error of its handler`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { a.catch { _ in throw TestError.other } }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.other)])
  }

  @Test func `catch passes a completion through`() {
    #expect(Observable.of(1, 2).catch { _ in .just(9) }.recorded() == "1 2 |")
  }

  @Test func `catchAndReturn emits its element and completes`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { a.catchAndReturn(9) }
    #expect(observer.events == [.next(210, 1), .next(220, 9), .completed(220)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(Observable.of(1).catchAndReturn(9).recorded() == "1 |")
  }

  @Test func `catchAndReturn emits nothing after disposal by its element`() {
    let own = SerialDisposable()
    let log = EventRecorder<String>()
    let subject = PublishSubject<Int>()
    own.disposable = subject.catchAndReturn(9).do(onNext: { _ in own.dispose() }).record(in: log)
    subject.onError(TestError.any)
    #expect(log.events.isEmpty)
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

  @Test func `retry(_:) ends with the last error`() {
    let a = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.any)])
    let observer = scheduler.start { a.retry(2) }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .error(240, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
    #expect(Observable<Int>.error(TestError.any).retry(1).recorded() == "x")
    #expect(Observable<Int>.error(TestError.any).retry(0).recorded() == "|")
  }

  @Test func `retry of 100,000 attempts does not overflow the stack`() {
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

  @Test func `disposal in onNext stops retry`() {
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

  @Test func `catch(sequence:) disposes of the failed source and continues with the next`() {
    let a = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let b = scheduler.createHotObservable([.next(230, 2), .error(240, TestError.any)])
    let c = scheduler.createHotObservable([.next(250, 3), .completed(260)])
    let observer = scheduler.start {
      Observable.catch(sequence: [a.asObservable(), b.asObservable(), c.asObservable(), .just(9)])
    }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(260)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(220, 240)])
    #expect(c.subscriptions == [Subscription(240, 260)])
  }

  @Test func `catch(sequence:) ends with the last error and completes for an empty sequence`() {
    let failing = [Observable<Int>.error(TestError.other), .error(TestError.any)]
    #expect(
      scheduler.start { Observable.catch(sequence: failing) }.events == [.error(200, TestError.any)]
    )
    #expect(Observable<Int>.catch(sequence: []).recorded() == "|")
  }

  @Test func `retry(when:) subscribes again when the notifier emits`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10, TestError.any)])
    let observer = scheduler.start(disposed: 800) {
      source.retry(when: { (errors: Observable<any Error>) in
        errors.enumerated().flatMap { [scheduler] attempt, error -> Observable<Int64> in
          if attempt == 3 { return .error(error) }
          return .timer(.seconds((attempt + 1) * 50), scheduler: scheduler)
        }
      })
    }
    #expect(
      observer.events == [
        .next(205, 1), .next(265, 1), .next(375, 1), .next(535, 1), .error(540, TestError.any),
      ]
    )
    #expect(
      source.subscriptions == [
        Subscription(200, 210), Subscription(260, 270), Subscription(370, 380),
        Subscription(530, 540),
      ]
    )
  }

  @Test func `retry with a backoff subscribes again after delays, and ends with the last error`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10, TestError.any)])
    let delays = Backoff.linear(increment: .seconds(50), cap: .seconds(1_000), maxAttempts: 3)
    let observer = scheduler.start(disposed: 800) { source.retry(delays, scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(205, 1), .next(265, 1), .next(375, 1), .next(535, 1), .error(540, TestError.any),
      ]
    )
    #expect(
      source.subscriptions == [
        Subscription(200, 210), Subscription(260, 270), Subscription(370, 380),
        Subscription(530, 540),
      ]
    )
  }

  @Test func `retry with a backoff varies delays, and passes an error that is not transient`() {
    let source: TestableObservable<Int> = scheduler.createColdObservable([
      .error(10, TestError.any)
    ])
    let varied = scheduler.start(disposed: 300) {
      source.retry(
        .fixed(.seconds(20), jitter: .upTo(1)), scheduler: scheduler, random: { 0.5 })
    }
    #expect(varied.events == [])
    #expect(source.subscriptions.map(\.subscribe) == [200, 240, 280])
    let failed = Observable<Int>.error(TestError.other)
      .retry(.fixed(.zero), scheduler: scheduler, if: { ($0 as? TestError) != .other })
    #expect(failed.recorded() == "x")
  }

  @Test func `each observer of a retry with a backoff has its own attempts`() {
    let failing = Observable<Int>.error(TestError.any)
      .retry(.fixed(.seconds(1), maxAttempts: 1), scheduler: scheduler)
    for start in [100, 200] {
      let observer = scheduler.start(created: start, subscribed: start, disposed: start + 50) {
        failing
      }
      #expect(observer.events == [.error(start + 1, TestError.any)])
    }
  }

  @Test func `disposal of a retry with a backoff ends its wait`() {
    let source = PublishSubject<Int>()
    let subscription = Observable.deferred { source.asObservable() }
      .retry(.fixed(.seconds(10)), scheduler: scheduler).subscribe()
    subscription.dispose()
    #expect(!source.hasObservers)
    let waiting = Observable<Int>.error(TestError.any)
      .retry(.fixed(.seconds(10)), scheduler: scheduler).subscribe()
    #expect(scheduler.nextTime != nil)
    waiting.dispose()
    #expect(scheduler.nextTime == nil)
  }

  @Test func `retry(when:) ends with its notifier after an error of the source`() {
    let source = scheduler.createColdObservable([.next(10, 1), .error(30, TestError.any)])
    let completed = scheduler.createHotObservable([.next(150, 0), .completed(210)])
    let observer = scheduler.start {
      source.retry(when: { (_: Observable<TestError>) in completed })
    }
    #expect(observer.events == [.next(210, 1), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    let failed = Observable.of(1).concat(Observable.error(TestError.any))
      .retry(when: { (_: Observable<any Error>) in Observable<Int>.error(TestError.other) })
    #expect(failed.recorded() == "1 x")
    let fine = Observable.of(1).retry(when: { (_: Observable<any Error>) in Observable<Int>.empty()
    })
    #expect(fine.recorded() == "1 |")
  }

  @Test func `retry(when:) ignores notifier elements before an error`() {
    let source = scheduler.createColdObservable([.next(10, 1), .error(30, TestError.any)])
    let notifier = scheduler.createHotObservable([.next(215, 0), .next(250, 0), .next(255, 0)])
    let observer = scheduler.start(disposed: 270) {
      source.retry(when: { (_: Observable<any Error>) in notifier })
    }
    #expect(observer.events == [.next(210, 1), .next(260, 1)])
    #expect(source.subscriptions == [Subscription(200, 230), Subscription(250, 270)])
    #expect(notifier.subscriptions == [Subscription(200, 270)])
  }

  @Test func `retry(when:) passes an error of another type through`() {
    let observer = scheduler.start {
      Observable<Int>.error(TestError.any).retry(when: { (errors: Observable<CancellationError>) in
        errors
      })
    }
    #expect(observer.events == [.error(200, TestError.any)])
  }

  @Test func `retry(when:) of 100,000 attempts does not overflow the stack`() {
    let attempts = Atomic(0)
    onAnotherThread {
      _ = Observable<Int>.deferred {
        attempts.add(1, ordering: .relaxed)
        return .error(TestError.any)
      }
      .retry(when: { (errors: Observable<any Error>) in errors.take(99_999) })
      .subscribe(onError: { _ in })
    }
    #expect(attempts.load(ordering: .relaxed) == 100_000)
  }

  @Test func `disposal of retry(when:) disposes of source and notifier`() {
    let (source, notifier) = (PublishSubject<Int>(), PublishSubject<Int>())
    let subscription = source.retry(when: { (_: Observable<any Error>) in notifier }).subscribe()
    #expect(source.hasObservers && notifier.hasObservers)
    subscription.dispose()
    #expect(!source.hasObservers && !notifier.hasObservers)
  }

  @MainActor
  @Test func `retry(when:) reports no anomaly for attempts that fail at once`() {
    struct Marked: Error {}
    let attempts = Atomic(0)
    let reports = reported {
      let first = PublishSubject<Int>()
      let source = Observable<Int>.deferred {
        switch attempts.add(1, ordering: .relaxed).newValue {
        case 1: first
        case let number where number < 4: .error(Marked())
        case let number: .just(number)
        }
      }
      let subscription =
        source
        .retry(when: { (errors: Observable<Marked>) in errors.map { _ in [Marked]() } })
        .subscribe()
      first.onError(Marked())
      subscription.dispose()
    }
    #expect(reports == [])
    #expect(attempts.load(ordering: .relaxed) == 4)
  }
}
