import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SingleTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func written<Element: Sendable>(_ single: Single<Element>) -> String {
    let log = Log<String>()
    _ = single.subscribe(
      onSuccess: { log.append("\($0)") },
      onFailure: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    return log.entries.joined(separator: " ")
  }

  @Test func `one element or an error`() {
    #expect(written(Single.just(1)) == "1 disposed")
    #expect(written(Single<Int>.error(TestError.any)) == "x disposed")
    #expect(written(Single<Int>.never()) == "")
    #expect(written(Single<Int>.deferred { throw TestError.any }) == "x disposed")
    #expect(written(Single.just(1).map { $0 + 1 }) == "2 disposed")
    #expect(written(Single.just(1).map { _ -> Int in throw TestError.any }) == "x disposed")
    #expect(written(Single.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
    #expect(written(Single<Int>.error(TestError.any).catch { _ in .just(3) }) == "3 disposed")
    #expect(written(Single<Int>.error(TestError.any).catchAndReturn(4)) == "4 disposed")
  }

  @Test func `the first call of a created one is its end`() {
    #expect(
      written(
        Single<Int>.create { observer in
          observer(.success(1))
          observer(.success(2))
          observer(.failure(TestError.any))
          return Disposables.create()
        }
      ) == "1 disposed"
    )
    #expect(
      written(
        Single<Int>.create { observer in
          observer(.failure(TestError.any))
          observer(.success(2))
          return Disposables.create()
        }
      ) == "x disposed"
    )
  }

  @Test func `what a created one returns is disposed of at its end or before`() {
    let (log, observers) = (Log<String>(), Log<Single<Int>.SingleObserver>())
    let created = Single<Int>.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    let ended = created.subscribe(
      onSuccess: { log.append("\($0)") },
      onDisposed: { log.append("disposed") }
    )
    observers.entries[0](.success(1))
    ended.dispose()
    #expect(log.entries == ["1", "disposed", "released"])
    let disposed = created.subscribe(
      onSuccess: { log.append("\($0)") },
      onDisposed: { log.append("disposed") }
    )
    disposed.dispose()
    observers.entries[1](.success(2))
    #expect(log.entries.suffix(2) == ["released", "disposed"])
  }

  @Test func `it is heard when the element comes, not when the source completes`() {
    let log = Log<String>()
    let subscription = Single.just(1).observe(on: scheduler)
      .do(onDispose: { [scheduler] in log.append("source \(scheduler.clock)") })
      .subscribe(
        onSuccess: { [scheduler] in log.append("\($0) \(scheduler.clock)") },
        onDisposed: { [scheduler] in log.append("disposed \(scheduler.clock)") }
      )
    scheduler.start()
    #expect(log.entries == ["1 1", "disposed 1", "source 2"])
    subscription.dispose()
  }

  @Test func `disposal in onSuccess calls onDisposed once`() {
    let (log, subscription) = (Log<String>(), SerialDisposable())
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
    #expect(log.entries == ["success", "disposed", "returned"])
  }

  @Test func `one without an element fails`() {
    let log = Log<String>()
    let empty = Single.just(1).retry(0)
    _ = empty.subscribe { log.append("\($0)") }
    _ = empty.subscribe(onFailure: { log.append("\($0)") })
    _ = empty.subscribe(with: scheduler, onFailure: { log.append("\($1)") })
    let error = "Sequence doesn't contain any elements."
    #expect(log.entries == ["failure(\(error))", error, error])
  }

  @Test func `subscribe with a result`() {
    let log = Log<String>()
    _ = Single.just(1).subscribe { log.append("\($0)") }
    #expect(log.entries == ["success(1)"])
  }

  @Test func `subscribe with an object that is held weakly`() {
    final class Target: Sendable {}
    var target: Target? = Target()
    let (log, subject) = (Log<String>(), PublishSubject<Int>())
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
    #expect(log.entries == ["1", "disposed"])
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

  @Test func `do calls closures around the end`() {
    let log = Log<String>()
    let watched = Single.just(1).do(
      onSuccess: { log.append("on \($0)") },
      afterSuccess: { log.append("after \($0)") },
      onSubscribe: { log.append("subscribe") },
      onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    )
    _ = watched.subscribe(onSuccess: { log.append("\($0)") })
    #expect(log.entries == ["subscribe", "on 1", "1", "after 1", "subscribed", "dispose"])
    let failures = Log<String>()
    _ = Single<Int>.error(TestError.any)
      .do(onError: { _ in failures.append("on") }, afterError: { _ in failures.append("after") })
      .subscribe(onFailure: { _ in failures.append("x") })
    #expect(failures.entries == ["on", "x", "after"])
  }

  @Test func `what may leave no element is a maybe`() {
    let even: Maybe<Int> = Single.just(1).filter { $0.isMultiple(of: 2) }
    #expect(even.asObservable().written() == "|")
    let odd: Maybe<Int> = Single.just(1).filter { !$0.isMultiple(of: 2) }
    #expect(odd.asObservable().written() == "1 |")
    let number: Maybe<Int> = Single.just("1").compactMap { Int($0) }
    #expect(number.asObservable().written() == "1 |")
    #expect(Single.just("a").compactMap { Int($0) }.asObservable().written() == "|")
    #expect(Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }.asObservable().written() == "|")
    #expect(Single.just(1).asMaybe().asObservable().written() == "1 |")
  }

  @Test func `the end alone is a completable`() {
    #expect(Single.just(1).asCompletable().asObservable().written() == "|")
    #expect(Single<Int>.error(TestError.any).asCompletable().asObservable().written() == "x")
    let log = Log<Int>()
    let saved = Single.just(1).flatMapCompletable { element in
      log.append(element)
      return .error(TestError.any)
    }
    #expect(saved.asObservable().written() == "x")
    #expect(log.entries == [1])
  }

  @Test func `asSingle wants exactly one`() {
    #expect(Observable.just(1).asSingle().asObservable().written() == "1 |")
    let two = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { two.asSingle() }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(two.subscriptions == [Subscription(200, 220)])
    #expect(written(Observable<Int>.empty().asSingle()) == "x disposed")
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
