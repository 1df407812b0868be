import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct CompletableTests {
  let scheduler = TestScheduler(initialClock: 0)

  private func written(_ completable: Completable) -> String {
    let log = Log<String>()
    _ = completable.subscribe(
      onCompleted: { log.append("|") },
      onError: { _ in log.append("x") },
      onDisposed: { log.append("disposed") }
    )
    return log.entries.joined(separator: " ")
  }

  private func events(_ completable: Completable) -> [CompletableEvent] {
    let log = Log<CompletableEvent>()
    _ = completable.subscribe { log.append($0) }
    return log.entries
  }

  private func hot(_ event: Recorded<Event<Never>>) -> TestableObservable<Never> {
    scheduler.createHotObservable([event])
  }

  @Test func `completion or an error`() {
    #expect(written(.empty()) == "| disposed")
    #expect(written(.error(TestError.any)) == "x disposed")
    #expect(written(.never()) == "")
    #expect(events(.empty()) == [.completed])
    #expect(events(.error(TestError.any)) == [.error(TestError.any)])
    #expect(CompletableEvent.completed != .error(TestError.any))
  }

  @Test func `its events need no case for an element`() {
    func name(_ event: CompletableEvent) -> String {
      switch event {
      case .completed: "completed"
      case .error: "error"
      }
    }
    #expect(events(.empty()).map(name) == ["completed"])
  }

  @Test func `the first call of a created one is its end`() {
    func created(_ events: CompletableEvent...) -> String {
      written(
        Completable.create { observer in
          for event in events { observer(event) }
          return Disposables.create()
        }
      )
    }
    #expect(created(.completed, .error(TestError.any)) == "| disposed")
    #expect(created(.error(TestError.any), .completed) == "x disposed")
  }

  @Test func `disposal releases what a created one returned`() {
    let (log, observers) = (Log<String>(), Log<Completable.CompletableObserver>())
    let subscription = Completable.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    .subscribe(onCompleted: { log.append("|") }, onDisposed: { log.append("disposed") })
    subscription.dispose()
    observers.entries[0](.completed)
    #expect(log.entries == ["released", "disposed"])
  }

  @Test func `subscribe with an object that is held weakly`() {
    final class Target: Sendable {}
    func heard(_ completable: Completable) -> [String] {
      let (log, target) = (Log<String>(), Target())
      _ = completable.subscribe(
        with: target,
        onCompleted: { _ in log.append("|") },
        onError: { _, _ in log.append("x") },
        onDisposed: { _ in log.append("disposed") }
      )
      withExtendedLifetime(target) {}
      return log.entries
    }
    #expect(heard(.empty()) == ["|", "disposed"])
    #expect(heard(.error(TestError.any)) == ["x", "disposed"])
  }

  @Test func `do calls closures around the end`() {
    let log = Log<String>()
    _ = Completable.empty().do(
      onError: { _ in log.append("error") },
      onCompleted: { log.append("on") },
      afterCompleted: { log.append("after") },
      onDispose: { log.append("dispose") }
    )
    .subscribe(onCompleted: { log.append("|") })
    #expect(log.entries == ["on", "|", "after", "dispose"])
  }

  @Test func `andThen subscribes the second when the first has completed`() {
    let first = hot(.completed(210))
    let second = scheduler.createHotObservable([.next(220, 1), .next(230, 2), .completed(240)])
    let observer = scheduler.start { first.asCompletable().andThen(second.asObservable()) }
    #expect(observer.events == [.next(220, 1), .next(230, 2), .completed(240)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(210, 240)])
  }

  @Test func `andThen stops at the error of the first`() {
    let first = hot(.error(210, TestError.any))
    let second = scheduler.createHotObservable([.next(220, 1), .completed(240)])
    let observer = scheduler.start { first.asCompletable().andThen(second.asMaybe()) }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [])
  }

  @Test func `andThen is of the kind of the second`() {
    let (empty, failing) = (Completable.empty(), Completable.error(TestError.any))
    let single: Single<Int> = empty.andThen(.just(1))
    #expect(single.asObservable().written() == "1 |")
    let maybe: Maybe<Int> = empty.andThen(.empty())
    #expect(maybe.asObservable().written() == "|")
    #expect(empty.andThen(Maybe.just(2)).asObservable().written() == "2 |")
    #expect(written(empty.andThen(failing)) == "x disposed")
    #expect(written(empty.andThen(.empty())) == "| disposed")
    #expect(empty.andThen(Observable.of(1, 2)).written() == "1 2 |")
    #expect(failing.andThen(Single.just(1)).asObservable().written() == "x")
  }

  @Test func `andThen lets go of the first when that has ended`() {
    let first = PublishSubject<Never>()
    let log = Log<any Disposable>()
    let isGone = isReleased { token in
      let completable = first.asCompletable().do(onCompleted: { token.hold() })
      log.append(completable.andThen(.never()).subscribe())
      first.onCompleted()
    }
    #expect(isGone)
    for subscription in log.entries { subscription.dispose() }
  }

  @Test func `disposal during the second reaches it`() {
    let (first, second) = (hot(.completed(210)), PublishSubject<Int>())
    let observer = scheduler.start { first.asCompletable().andThen(second.asObservable()) }
    #expect(observer.events == [])
    #expect(!second.hasObservers)
  }

  @Test func `concat runs one after the other`() {
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

  @Test func `zip runs side by side and completes with the last`() {
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

  @Test func `concat and zip of none complete, and end with the first error`() {
    #expect(written(.concat([])) == "| disposed")
    #expect(written(.zip([])) == "| disposed")
    #expect(written(.concat(.error(TestError.any), .never())) == "x disposed")
    #expect(written(.zip(.never(), .error(TestError.any))) == "x disposed")
  }

  @Test func `an observable of nothing is a completable`() {
    let source = hot(.completed(250))
    let observer = scheduler.start { source.asCompletable() }
    #expect(observer.events == [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(written(Observable<Never>.error(TestError.any).asCompletable()) == "x disposed")
  }
}
