import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SingleTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func recorded<Element: Sendable>(_ single: Single<Element>) -> String {
    let log = EventRecorder<String>()
    _ = single.subscribe(
      onSuccess: { log.append("\($0)") },
      onFailure: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    return log.events.joined(separator: " ")
  }

  @Test func `a single emits one element or fails`() {
    #expect(recorded(Single.just(1)) == "1 disposed")
    #expect(recorded(Single<Int>.error(TestError.any)) == "x disposed")
    #expect(recorded(Single<Int>.never()) == "")
    #expect(recorded(Single<Int>.deferred { throw TestError.any }) == "x disposed")
    #expect(recorded(Single.just(1).map { $0 + 1 }) == "2 disposed")
    #expect(recorded(Single.just(1).map { _ -> Int in throw TestError.any }) == "x disposed")
    #expect(recorded(Single.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
    #expect(recorded(Single<Int>.error(TestError.any).catch { _ in .just(3) }) == "3 disposed")
    #expect(recorded(Single<Int>.error(TestError.any).catchAndReturn(4)) == "4 disposed")
  }

  @Test func `Single.create ends with the first event`() {
    #expect(
      recorded(
        Single<Int>.create { observer in
          observer(.success(1))
          observer(.success(2))
          observer(.failure(TestError.any))
          return Disposables.create()
        }
      ) == "1 disposed"
    )
    #expect(
      recorded(
        Single<Int>.create { observer in
          observer(.failure(TestError.any))
          observer(.success(2))
          return Disposables.create()
        }
      ) == "x disposed"
    )
  }

  @Test func `Single.create disposes of the returned disposable at its end or on disposal`() {
    let (log, observers) = (EventRecorder<String>(), EventRecorder<Single<Int>.SingleObserver>())
    let created = Single<Int>.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    let ended = created.subscribe(
      onSuccess: { log.append("\($0)") },
      onDisposed: { log.append("disposed") }
    )
    observers.events[0](.success(1))
    ended.dispose()
    #expect(log.events == ["1", "disposed", "released"])
    let disposed = created.subscribe(
      onSuccess: { log.append("\($0)") },
      onDisposed: { log.append("disposed") }
    )
    disposed.dispose()
    observers.events[1](.success(2))
    #expect(log.events.suffix(2) == ["released", "disposed"])
  }

  @Test func `a single delivers its element before its source completes`() {
    let log = EventRecorder<String>()
    let subscription = Single.just(1).observe(on: scheduler)
      .do(onDispose: { [scheduler] in log.append("source \(scheduler.clock)") })
      .subscribe(
        onSuccess: { [scheduler] in log.append("\($0) \(scheduler.clock)") },
        onDisposed: { [scheduler] in log.append("disposed \(scheduler.clock)") }
      )
    scheduler.start()
    #expect(log.events == ["1 1", "disposed 1", "source 2"])
    subscription.dispose()
  }

  @Test func `disposal in onSuccess of a single calls onDisposed once`() {
    let (log, subscription) = (EventRecorder<String>(), SerialDisposable())
    let subject = PublishSubject<Int>()
    subscription.disposable = subject.asSingle().subscribe(
      onSuccess: { _ in
        log.append("success")
        subscription.dispose()
        log.append("returned")
      },
      onDisposed: { log.append("disposed") }
    )
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.events == ["success", "disposed", "returned"])
  }

  @Test func `a single without an element fails`() {
    let log = EventRecorder<String>()
    let empty = Single.just(1).retry(0)
    _ = empty.subscribe { log.append("\($0)") }
    _ = empty.subscribe(onFailure: { log.append("\($0)") })
    _ = empty.subscribe(with: scheduler, onFailure: { log.append("\($1)") })
    let error = "Sequence doesn't contain any elements."
    #expect(log.events == ["failure(\(error))", error, error])
  }

  @Test func `Single.subscribe accepts a closure for the result`() {
    let log = EventRecorder<String>()
    _ = Single.just(1).subscribe { log.append("\($0)") }
    #expect(log.events == ["success(1)"])
  }

  @Test func `Single.subscribe(with:) holds its object weakly`() {
    final class Target: Sendable {}
    var target: Target? = Target()
    let (log, subject) = (EventRecorder<String>(), PublishSubject<Int>())
    func subscribe(_ target: Target) -> any Disposable {
      subject.asSingle().subscribe(
        with: target,
        onSuccess: { _, element in log.append("\(element)") },
        onFailure: { _, _ in log.append("x") },
        onDisposed: { _ in log.append("disposed") }
      )
    }
    if let target { _ = subscribe(target) }
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.events == ["1", "disposed"])
    let late = PublishSubject<Int>()
    if let target {
      _ = late.asSingle().subscribe(
        with: target,
        onFailure: { _, _ in log.append("x") },
        onDisposed: { _ in log.append("disposed") }
      )
    }
    target = nil
    late.onError(TestError.any)
    #expect(log.count == 2)
  }

  @Test func `Single.do calls its closures around the end`() {
    let log = EventRecorder<String>()
    let watched = Single.just(1).do(
      onSuccess: { log.append("on \($0)") },
      afterSuccess: { log.append("after \($0)") },
      onSubscribe: { log.append("subscribe") },
      onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    )
    _ = watched.subscribe(onSuccess: { log.append("\($0)") })
    #expect(log.events == ["subscribe", "on 1", "1", "after 1", "subscribed", "dispose"])
    let failures = EventRecorder<String>()
    _ = Single<Int>.error(TestError.any)
      .do(onError: { _ in failures.append("on") }, afterError: { _ in failures.append("after") })
      .subscribe(onFailure: { _ in failures.append("x") })
    #expect(failures.events == ["on", "x", "after"])
  }

  @Test func `filter, compactMap and flatMapMaybe of a single return a maybe`() {
    let even: Maybe<Int> = Single.just(1).filter { $0.isMultiple(of: 2) }
    #expect(even.asObservable().recorded() == "|")
    let odd: Maybe<Int> = Single.just(1).filter { !$0.isMultiple(of: 2) }
    #expect(odd.asObservable().recorded() == "1 |")
    let number: Maybe<Int> = Single.just("1").compactMap { Int($0) }
    #expect(number.asObservable().recorded() == "1 |")
    #expect(Single.just("a").compactMap { Int($0) }.asObservable().recorded() == "|")
    #expect(
      Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }.asObservable().recorded() == "|")
    #expect(Single.just(1).asMaybe().asObservable().recorded() == "1 |")
  }

  @Test func `asCompletable and flatMapCompletable of a single return a completable`() {
    #expect(Single.just(1).asCompletable().asObservable().recorded() == "|")
    #expect(Single<Int>.error(TestError.any).asCompletable().asObservable().recorded() == "x")
    let log = EventRecorder<Int>()
    let saved = Single.just(1).flatMapCompletable { element in
      log.append(element)
      return .error(TestError.any)
    }
    #expect(saved.asObservable().recorded() == "x")
    #expect(log.events == [1])
  }

  @Test func `asSingle fails without an element or after a second one`() {
    #expect(Observable.just(1).asSingle().asObservable().recorded() == "1 |")
    let two = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { two.asSingle() }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(two.subscriptions == [Subscription(200, 220)])
    #expect(recorded(Observable<Int>.empty().asSingle()) == "x disposed")
  }

  @Test func `asSingle emits when the source completes`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
    let observer = scheduler.start { source.asSingle() }
    #expect(observer.events == [.next(230, 1), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test func `asSingle fails with its source`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { source.asSingle() }
    #expect(observer.events == [.error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }
}
