import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct MaybeTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func recorded<Element: Sendable>(_ maybe: Maybe<Element>) -> String {
    let log = EventRecorder<String>()
    _ = maybe.subscribe(
      onSuccess: { log.append("\($0)") },
      onError: { _ in log.append("x") },
      onCompleted: { log.append("|") },
      onDisposed: { log.append("disposed") }
    )
    return log.events.joined(separator: " ")
  }

  private func events(_ maybe: Maybe<Int>) -> [MaybeEvent<Int>] {
    let log = EventRecorder<MaybeEvent<Int>>()
    _ = maybe.subscribe { log.append($0) }
    return log.events
  }

  @Test func `a maybe emits one element, completes or fails`() {
    #expect(recorded(Maybe.just(1)) == "1 disposed")
    #expect(recorded(Maybe<Int>.empty()) == "| disposed")
    #expect(recorded(Maybe<Int>.error(TestError.any)) == "x disposed")
    #expect(recorded(Maybe<Int>.never()) == "")
    #expect(events(.just(1)) == [.success(1)])
    #expect(events(.empty()) == [.completed])
    #expect(events(.error(TestError.any)) == [.error(TestError.any)])
  }

  @Test func `MaybeEvent compares elements and descriptions of errors`() {
    #expect(MaybeEvent.success(1) != .success(2))
    #expect(MaybeEvent.success(1) != .completed)
    #expect(MaybeEvent<Int>.error(TestError.any) != .error(TestError.other))
    #expect(MaybeEvent<Int>.error(TestError.any) != .completed)
  }

  @Test func `operators on a maybe return maybes`() {
    #expect(recorded(Maybe.just(1).map { $0 + 1 }) == "2 disposed")
    #expect(recorded(Maybe<Int>.empty().map { $0 + 1 }) == "| disposed")
    #expect(recorded(Maybe.just(1).filter { $0 > 1 }) == "| disposed")
    #expect(recorded(Maybe.just(1).filter { _ in throw TestError.any }) == "x disposed")
    #expect(recorded(Maybe.just("1").compactMap { Int($0) }) == "1 disposed")
    #expect(recorded(Maybe.just(1).flatMap { .just($0 * 10) }) == "10 disposed")
    #expect(recorded(Maybe.just(1).flatMap { _ in Maybe<Int>.empty() }) == "| disposed")
    #expect(recorded(Maybe<Int>.error(TestError.any).catchAndReturn(2)) == "2 disposed")
  }

  @Test func `Maybe.create ends with the first event`() {
    func created(_ events: MaybeEvent<Int>...) -> String {
      recorded(
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

  @Test func `Maybe.create disposes of the returned disposable at its end`() {
    let log = EventRecorder<TestTime>()
    let observers = EventRecorder<Maybe<Int>.MaybeObserver>()
    for time in [201, 202] {
      scheduler.scheduleAt(time) { observers.events.first?(.success(time)) }
    }
    let observer = scheduler.start { [scheduler] in
      Maybe<Int>.create { observer in
        observers.append(observer)
        return Disposables.create { log.append(scheduler.clock) }
      }
    }
    #expect(observer.events == [.next(201, 201), .completed(201)])
    #expect(log.events == [201])
  }

  @Test func `disposal of a maybe calls only onDisposed`() {
    let log = EventRecorder<String>()
    let subscription = Maybe<Int>.never().subscribe(
      onSuccess: { _ in log.append("success") },
      onCompleted: { log.append("completed") },
      onDisposed: { log.append("disposed") }
    )
    subscription.dispose()
    subscription.dispose()
    #expect(log.events == ["disposed"])
  }

  @Test func `Maybe.subscribe(with:) holds its object weakly`() {
    final class Target: Sendable {}
    func received(_ maybe: Maybe<Int>) -> [String] {
      let (log, target) = (EventRecorder<String>(), Target())
      _ = maybe.subscribe(
        with: target,
        onSuccess: { _, element in log.append("\(element)") },
        onError: { _, _ in log.append("x") },
        onCompleted: { _ in log.append("|") },
        onDisposed: { _ in log.append("disposed") }
      )
      withExtendedLifetime(target) {}
      return log.events
    }
    #expect(received(.just(1)) == ["1", "disposed"])
    #expect(received(.empty()) == ["|", "disposed"])
    #expect(received(.error(TestError.any)) == ["x", "disposed"])
    let (log, subject) = (EventRecorder<String>(), PublishSubject<Int>())
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
    #expect(log.events.isEmpty)
  }

  @Test func `Maybe.do calls its closures around each event`() {
    let log = EventRecorder<String>()
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
      log.events == [
        "subscribe", "on 1", "1", "after 1", "on |", "after |", "subscribed", "dispose",
      ]
    )
    let failures = EventRecorder<String>()
    _ = Maybe<Int>.error(TestError.any)
      .do(onError: { _ in failures.append("on") }, afterError: { _ in failures.append("after") })
      .subscribe(onError: { _ in failures.append("x") })
    #expect(failures.events == ["on", "x", "after"])
  }

  @Test func `Maybe.ifEmpty replaces a missing element`() {
    let (empty, one) = (Maybe<Int>.empty(), Maybe.just(1))
    let single: Single<Int> = empty.ifEmpty(default: 2)
    #expect(single.asObservable().recorded() == "2 |")
    #expect(one.ifEmpty(default: 2).asObservable().recorded() == "1 |")
    #expect(recorded(empty.ifEmpty(switchTo: Maybe.just(3))) == "3 disposed")
    #expect(recorded(empty.ifEmpty(switchTo: empty)) == "| disposed")
    #expect(recorded(one.ifEmpty(switchTo: Maybe.just(3))) == "1 disposed")
    let other: Single<Int> = empty.ifEmpty(switchTo: Single.just(4))
    #expect(other.asObservable().recorded() == "4 |")
    #expect(recorded(Maybe<Int>.error(TestError.any).ifEmpty(switchTo: one)) == "x disposed")
  }

  @Test func `asMaybe fails after a second element`() {
    #expect(Observable<Int>.empty().asMaybe().asObservable().recorded() == "|")
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
