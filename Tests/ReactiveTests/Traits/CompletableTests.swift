import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct CompletableTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func recorded(_ completable: Completable) -> String {
    let log = EventRecorder<String>()
    _ = completable.subscribe(
      onCompleted: { log.append("|") },
      onError: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    return log.events.joined(separator: " ")
  }

  private func events(_ completable: Completable) -> [CompletableEvent] {
    let log = EventRecorder<CompletableEvent>()
    _ = completable.subscribe { log.append($0) }
    return log.events
  }

  private func hot(_ event: Recorded<Event<Never>>) -> TestableObservable<Never> {
    scheduler.createHotObservable([event])
  }

  @Test func `a completable completes or fails`() {
    #expect(recorded(.empty()) == "| disposed")
    #expect(recorded(.error(TestError.any)) == "x disposed")
    #expect(recorded(.never()) == "")
    #expect(events(.empty()) == [.completed])
    #expect(events(.error(TestError.any)) == [.error(TestError.any)])
    #expect(CompletableEvent.completed != .error(TestError.any))
  }

  @Test func `CompletableEvent has cases for completion and error only`() {
    func name(_ event: CompletableEvent) -> String {
      switch event {
      case .completed: "completed"
      case .error: "error"
      }
    }
    #expect(events(.empty()).map(name) == ["completed"])
  }

  @Test func `Completable.create ends with the first event`() {
    func created(_ events: CompletableEvent...) -> String {
      recorded(
        Completable.create { observer in
          for event in events { observer(event) }
          return Disposables.create()
        }
      )
    }
    #expect(created(.completed, .error(TestError.any)) == "| disposed")
    #expect(created(.error(TestError.any), .completed) == "x disposed")
  }

  @Test func `disposal of Completable.create disposes of the returned disposable`() {
    let (log, observers) = (
      EventRecorder<String>(), EventRecorder<Completable.CompletableObserver>()
    )
    let subscription = Completable.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    .subscribe(onCompleted: { log.append("|") }, onDisposed: { log.append("disposed") })
    subscription.dispose()
    observers.events[0](.completed)
    #expect(log.events == ["released", "disposed"])
  }

  @Test func `Completable.subscribe(with:) passes its object`() {
    final class Target: Sendable {}
    func received(_ completable: Completable) -> [String] {
      let (log, target) = (EventRecorder<String>(), Target())
      _ = completable.subscribe(
        with: target,
        onCompleted: { _ in log.append("|") },
        onError: { _, _ in log.append("x") },
        onDisposed: { _ in log.append("disposed") }
      )
      withExtendedLifetime(target) {}
      return log.events
    }
    #expect(received(.empty()) == ["|", "disposed"])
    #expect(received(.error(TestError.any)) == ["x", "disposed"])
  }

  @Test func `Completable.do calls its closures around the end`() {
    let log = EventRecorder<String>()
    _ = Completable.empty().do(
      onError: { _ in log.append("error") },
      onCompleted: { log.append("on") },
      afterCompleted: { log.append("after") },
      onDispose: { log.append("dispose") }
    )
    .subscribe(onCompleted: { log.append("|") })
    #expect(log.events == ["on", "|", "after", "dispose"])
  }

  @Test func `andThen subscribes to the second when the first has completed`() {
    let first = hot(.completed(210))
    let second = scheduler.createHotObservable([.next(220, 1), .next(230, 2), .completed(240)])
    let observer = scheduler.start { first.asCompletable().andThen(second.asObservable()) }
    #expect(observer.events == [.next(220, 1), .next(230, 2), .completed(240)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(210, 240)])
  }

  @Test func `andThen ends with an error of the first`() {
    let first = hot(.error(210, TestError.any))
    let second = scheduler.createHotObservable([.next(220, 1), .completed(240)])
    let observer = scheduler.start { first.asCompletable().andThen(second.asMaybe()) }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [])
  }

  @Test func `andThen returns the trait of the second`() {
    let (empty, failing) = (Completable.empty(), Completable.error(TestError.any))
    let single: Single<Int> = empty.andThen(.just(1))
    #expect(single.asObservable().recorded() == "1 |")
    let maybe: Maybe<Int> = empty.andThen(.empty())
    #expect(maybe.asObservable().recorded() == "|")
    #expect(empty.andThen(Maybe.just(2)).asObservable().recorded() == "2 |")
    #expect(recorded(empty.andThen(failing)) == "x disposed")
    #expect(recorded(empty.andThen(.empty())) == "| disposed")
    #expect(empty.andThen(Observable.of(1, 2)).recorded() == "1 2 |")
    #expect(failing.andThen(Single.just(1)).asObservable().recorded() == "x")
  }

  @Test func `andThen releases the completed first`() {
    let first = PublishSubject<Never>()
    let log = EventRecorder<any Disposable>()
    let isGone = isReleased { token in
      let completable = first.asCompletable().do(onCompleted: { token.hold() })
      log.append(completable.andThen(.never()).subscribe())
      first.onCompleted()
    }
    #expect(isGone)
    for subscription in log.events { subscription.dispose() }
  }

  @Test func `disposal of andThen disposes of the second`() {
    let (first, second) = (hot(.completed(210)), PublishSubject<Int>())
    let observer = scheduler.start { first.asCompletable().andThen(second.asObservable()) }
    #expect(observer.events == [])
    #expect(!second.hasObservers)
  }

  @Test func `Completable.concat runs one completable at a time`() {
    let ways: [(Completable, Completable) -> Completable] = [
      { .concat($0, $1) }, { .concat([$0, $1]) }, { .concat(AnySequence([$0, $1])) },
      { $0.concat($1) },
    ]
    for concat in ways {
      let scheduler = TestScheduler(initialClock: 0)
      let first = scheduler.createHotObservable([.completed(250, Never.self)])
      let second = scheduler.createHotObservable([.completed(300, Never.self)])
      let both = concat(first.asCompletable(), second.asCompletable())
      let observer = scheduler.start { both }
      #expect(observer.events == [.completed(300)])
      #expect(first.subscriptions == [Subscription(200, 250)])
      #expect(second.subscriptions == [Subscription(250, 300)])
    }
  }

  @Test func `Completable.zip runs completables concurrently and completes with the last`() {
    let ways: [(Completable, Completable) -> Completable] = [
      { .zip($0, $1) }, { .zip([$0, $1]) }, { .zip(AnyCollection([$0, $1])) },
    ]
    for zip in ways {
      let scheduler = TestScheduler(initialClock: 0)
      let first = scheduler.createHotObservable([.completed(250, Never.self)])
      let second = scheduler.createHotObservable([.completed(300, Never.self)])
      let both = zip(first.asCompletable(), second.asCompletable())
      let observer = scheduler.start { both }
      #expect(observer.events == [.completed(300)])
      #expect(first.subscriptions == [Subscription(200, 250)])
      #expect(second.subscriptions == [Subscription(200, 300)])
    }
  }

  @Test func `Completable.concat and zip complete for empty lists and end with the first error`() {
    #expect(recorded(.concat([])) == "| disposed")
    #expect(recorded(.zip([])) == "| disposed")
    #expect(recorded(.concat(.error(TestError.any), .never())) == "x disposed")
    #expect(recorded(.zip(.never(), .error(TestError.any))) == "x disposed")
  }

  @Test func `asCompletable converts an observable of Never`() {
    let source = hot(.completed(250))
    let observer = scheduler.start { source.asCompletable() }
    #expect(observer.events == [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(recorded(Observable<Never>.error(TestError.any).asCompletable()) == "x disposed")
  }
}
