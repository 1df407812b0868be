import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct MaybeTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func written<Element: Sendable>(_ maybe: Maybe<Element>) -> String {
    let log = Log<String>()
    _ = maybe.subscribe(
      onSuccess: { log.append("\($0)") },
      onError: { _ in log.append("x") },
      onCompleted: { log.append("|") },
      onDisposed: { log.append("disposed") }
    )
    return log.entries.joined(separator: " ")
  }

  private func events(_ maybe: Maybe<Int>) -> [MaybeEvent<Int>] {
    let log = Log<MaybeEvent<Int>>()
    _ = maybe.subscribe { log.append($0) }
    return log.entries
  }

  @Test func `one element, none or an error`() {
    #expect(written(Maybe.just(1)) == "1 disposed")
    #expect(written(Maybe<Int>.empty()) == "| disposed")
    #expect(written(Maybe<Int>.error(TestError.any)) == "x disposed")
    #expect(written(Maybe<Int>.never()) == "")
    #expect(events(.just(1)) == [.success(1)])
    #expect(events(.empty()) == [.completed])
    #expect(events(.error(TestError.any)) == [.error(TestError.any)])
  }

  @Test func `events are equal when their elements or the descriptions of their errors are`() {
    #expect(MaybeEvent.success(1) != .success(2))
    #expect(MaybeEvent.success(1) != .completed)
    #expect(MaybeEvent<Int>.error(TestError.any) != .error(TestError.other))
    #expect(MaybeEvent<Int>.error(TestError.any) != .completed)
  }

  @Test func `operators keep it a maybe`() {
    #expect(written(Maybe.just(1).map { $0 + 1 }) == "2 disposed")
    #expect(written(Maybe<Int>.empty().map { $0 + 1 }) == "| disposed")
    #expect(written(Maybe.just(1).filter { $0 > 1 }) == "| disposed")
    #expect(written(Maybe.just(1).filter { _ in throw TestError.any }) == "x disposed")
    #expect(written(Maybe.just("1").compactMap { Int($0) }) == "1 disposed")
    #expect(written(Maybe.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
    #expect(written(Maybe.just(1).flatMap { _ in Maybe<Int>.empty() }) == "| disposed")
    #expect(written(Maybe<Int>.error(TestError.any).catchAndReturn(2)) == "2 disposed")
  }

  @Test func `the first call of a created one is its end`() {
    func created(_ events: MaybeEvent<Int>...) -> String {
      written(
        Maybe<Int>.create { observer in
          for event in events { observer(event) }
          return Disposables.create()
        }
      )
    }
    #expect(created(.success(1), .success(2), .completed) == "1 disposed")
    #expect(created(.completed, .success(2)) == "| disposed")
    #expect(created(.error(TestError.any), .completed) == "x disposed")
  }

  @Test func `what a created one returns is disposed of with it`() {
    let log = Log<TestTime>()
    let observers = Log<Maybe<Int>.MaybeObserver>()
    for time in [201, 202] {
      scheduler.scheduleAt(time) { observers.entries.first?(.success(time)) }
    }
    let observer = scheduler.start { [scheduler] in
      Maybe<Int>.create { observer in
        observers.append(observer)
        return Disposables.create { log.append(scheduler.clock) }
      }
    }
    #expect(observer.events == [.next(201, 201), .completed(201)])
    #expect(log.entries == [201])
  }

  @Test func `disposal calls onDisposed and nothing else`() {
    let log = Log<String>()
    let subscription = Maybe<Int>.never().subscribe(
      onSuccess: { _ in log.append("success") },
      onCompleted: { log.append("completed") },
      onDisposed: { log.append("disposed") }
    )
    subscription.dispose()
    subscription.dispose()
    #expect(log.entries == ["disposed"])
  }

  @Test func `subscribe with an object that is held weakly`() {
    final class Target: Sendable {}
    func heard(_ maybe: Maybe<Int>) -> [String] {
      let (log, target) = (Log<String>(), Target())
      _ = maybe.subscribe(
        with: target,
        onSuccess: { _, element in log.append("\(element)") },
        onError: { _, _ in log.append("x") },
        onCompleted: { _ in log.append("|") },
        onDisposed: { _ in log.append("disposed") }
      )
      withExtendedLifetime(target) {}
      return log.entries
    }
    #expect(heard(.just(1)) == ["1", "disposed"])
    #expect(heard(.empty()) == ["|", "disposed"])
    #expect(heard(.error(TestError.any)) == ["x", "disposed"])
    let (log, subject) = (Log<String>(), PublishSubject<Int>())
    #expect(
      isReleased { token in
        _ = subject.asMaybe().subscribe(
          with: token,
          onCompleted: { _ in log.append("|") },
          onDisposed: { _ in log.append("disposed") }
        )
      }
    )
    subject.onCompleted()
    #expect(log.entries.isEmpty)
  }

  @Test func `do calls closures around each event, the completion after an element too`() {
    let log = Log<String>()
    _ = Maybe.just(1).do(
      onNext: { log.append("on \($0)") },
      afterNext: { log.append("after \($0)") },
      onCompleted: { log.append("on |") },
      afterCompleted: { log.append("after |") },
      onSubscribe: { log.append("subscribe") },
      onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    )
    .subscribe(onSuccess: { log.append("\($0)") })
    #expect(
      log.entries == [
        "subscribe", "on 1", "1", "after 1", "on |", "after |", "subscribed", "dispose",
      ]
    )
    let failures = Log<String>()
    _ = Maybe<Int>.error(TestError.any)
      .do(onError: { _ in failures.append("on") }, afterError: { _ in failures.append("after") })
      .subscribe(onError: { _ in failures.append("x") })
    #expect(failures.entries == ["on", "x", "after"])
  }

  @Test func `ifEmpty takes the place of a missing element`() {
    let (empty, one) = (Maybe<Int>.empty(), Maybe.just(1))
    let single: Single<Int> = empty.ifEmpty(default: 2)
    #expect(single.asObservable().written() == "2 |")
    #expect(one.ifEmpty(default: 2).asObservable().written() == "1 |")
    #expect(written(empty.ifEmpty(switchTo: Maybe.just(3))) == "3 disposed")
    #expect(written(empty.ifEmpty(switchTo: empty)) == "| disposed")
    #expect(written(one.ifEmpty(switchTo: Maybe.just(3))) == "1 disposed")
    let other: Single<Int> = empty.ifEmpty(switchTo: Single.just(4))
    #expect(other.asObservable().written() == "4 |")
    #expect(written(Maybe<Int>.error(TestError.any).ifEmpty(switchTo: one)) == "x disposed")
  }

  @Test func `asMaybe wants one at most`() {
    #expect(Observable<Int>.empty().asMaybe().asObservable().written() == "|")
    let two = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { two.asMaybe() }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(two.subscriptions == [Subscription(200, 220)])
  }

  @Test func `asMaybe emits when the source completes`() {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
    let observer = scheduler.start { source.asMaybe() }
    #expect(observer.events == [.next(230, 1), .completed(230)])
  }

  @Test func `asMaybe fails with its source`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
    let observer = scheduler.start { source.asMaybe() }
    #expect(observer.events == [.error(220, TestError.any)])
  }
}
