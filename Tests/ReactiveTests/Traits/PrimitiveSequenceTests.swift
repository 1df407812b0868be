import Reactive
import ReactiveTesting
import TestSupport
import Testing

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// What a program may add for its singles.
  fileprivate func asText() -> Single<String> { map { "\($0)" } }
}

extension PrimitiveSequenceType {
  /// What a program may add for all kinds.
  fileprivate func observed() -> Observable<Element> { primitiveSequence.asObservable() }
}

/// What a sequence may need while it runs.
private struct Resource: Disposable {
  let onDispose: @Sendable () -> Void

  func dispose() { onDispose() }
}

@Suite(.workerPool) struct PrimitiveSequenceTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `a program's own operators extend one kind or all`() {
    #expect(Single.just(1).asText().observed().written() == "1 |")
    #expect(Completable.empty().observed().written() == "|")
  }

  @Test func `what every kind has`() {
    func written<Trait, Element: Sendable>(_ sequence: PrimitiveSequence<Trait, Element>) -> String
    {
      sequence.asObservable().written()
    }
    #expect(written(Single<Int>.error(TestError.any)) == "x")
    #expect(written(Maybe<Int>.error(TestError.any)) == "x")
    #expect(written(Completable.error(TestError.any)) == "x")
    #expect(written(Single<Int>.never()) == "")
    #expect(written(Maybe<Int>.never()) == "")
    #expect(written(Completable.never()) == "")
    #expect(written(Single.deferred { .just(1) }) == "1 |")
    #expect(written(Maybe<Int>.deferred { throw TestError.any }) == "x")
    #expect(written(Completable.deferred { .empty() }) == "|")
    #expect(written(Single<Int>.error(TestError.any).catch { _ in .just(3) }) == "3 |")
    #expect(written(Maybe<Int>.error(TestError.any).catch { _ in .empty() }) == "|")
    #expect(written(Completable.error(TestError.any).catch { throw $0 }) == "x")
    #expect(written(Single.just(1, scheduler: CurrentThreadScheduler.instance)) == "1 |")
    #expect(written(Maybe.just(1, scheduler: CurrentThreadScheduler.instance)) == "1 |")
  }

  @Test func `retry subscribes again after an error`() {
    let log = Log<Int>()
    let third = Single<Int>.deferred {
      log.append(log.count)
      return log.count < 3 ? .error(TestError.any) : .just(log.count)
    }
    #expect(third.retry(2).asObservable().written() == "x")
    #expect(log.count == 2)
    #expect(third.retry().asObservable().written() == "3 |")
    #expect(log.count == 3)
  }

  @Test func `time passes as it does for observables`() {
    let delayed = scheduler.start { Maybe.just(1).delay(.seconds(2), scheduler: scheduler) }
    #expect(delayed.events == [.next(202, 1), .completed(203)])
  }

  @Test func `a delayed completable completes later`() {
    let observer = scheduler.start { Completable.empty().delay(.seconds(2), scheduler: scheduler) }
    #expect(observer.events == [.completed(202)])
  }

  @Test func `a delayed subscription begins later`() {
    let observer = scheduler.start {
      Completable.empty().delaySubscription(.seconds(2), scheduler: scheduler)
    }
    #expect(observer.events == [.completed(202)])
  }

  @Test func `retry when another says so`() {
    let log = Log<Int>()
    let second = Maybe<Int>.deferred {
      log.append(log.count)
      return log.count < 2 ? .error(TestError.any) : .just(log.count)
    }
    #expect(second.retry { errors in errors }.observed().written() == "2 |")
    let typed = Single<Int>.error(TestError.any).retry { (errors: Observable<TestError>) in
      errors.map { throw $0 }.map { (_: Int) in }
    }
    #expect(typed.observed().written() == "x")
  }

  @Test func `a timeout fails or continues with another`() {
    func outcome(_ dueTime: Int, other: Maybe<Int>? = nil) -> [Recorded<Event<Int>>] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createColdObservable([.next(10, 1), .completed(20)]).asMaybe()
      let result =
        other.map { source.timeout(.seconds(dueTime), other: $0, scheduler: scheduler) }
        ?? source.timeout(.seconds(dueTime), scheduler: scheduler)
      return scheduler.start { result }.events
    }
    #expect(outcome(5) == [.error(205, RxError.timeout)])
    #expect(outcome(30) == [.next(220, 1), .completed(220)])
    #expect(outcome(5, other: .just(2)) == [.next(205, 2), .completed(205)])
    #expect(outcome(30, other: .just(2)) == [.next(220, 1), .completed(220)])
  }

  @Test func `a resource is made with the subscription and disposed of after it`() {
    let log = Log<TestTime>()
    let source = scheduler.createColdObservable([.next(50, 1), .completed(100)])
    let observer = scheduler.start { [scheduler] in
      Maybe.using {
        log.append(scheduler.clock)
        return Resource { log.append(scheduler.clock) }
      } primitiveSequenceFactory: { _ in
        source.asMaybe()
      }
    }
    #expect(observer.events == [.next(300, 1), .completed(300)])
    #expect(log.entries == [200, 300])
    #expect(source.subscriptions == [Subscription(200, 300)])
    let failing = Completable.using {
      Resource {}
    } primitiveSequenceFactory: { _ in
      throw TestError.any
    }
    #expect(failing.observed().written() == "x")
  }

  @Test func `debug changes nothing`() {
    #expect(Single.just(1).debug("one").observed().written() == "1 |")
  }

  @Test func `a timer is a single or a maybe`() {
    let timer = scheduler.start { Single<Int>.timer(.seconds(2), scheduler: scheduler) }
    #expect(timer.events == [.next(202, 0), .completed(202)])
    #expect(Maybe<Int>.timer(.seconds(2), scheduler: scheduler).asObservable().written() == "")
  }

  @Test func `schedulers to observe on and to subscribe on`() {
    let observed = scheduler.start { Maybe.just(1).observe(on: scheduler) }
    #expect(observed.events == [.next(201, 1), .completed(202)])
  }

  @Test func `subscription on a scheduler`() {
    let subscribed = scheduler.start { Completable.empty().subscribe(on: scheduler) }
    #expect(subscribed.events == [.completed(201)])
  }

  @Test func `zip of different elements`() {
    let (number, letter) = (Single.just(1), Single.just("a"))
    #expect(Single.zip(number, letter) { "\($0)\($1)" }.observed().written() == "1a |")
    let pairs: Single<(Int, String)> = Single.zip(number, letter)
    #expect(pairs.map { "\($0.1)\($0.0)" }.observed().written() == "a1 |")
    let with = Single.zip(number, .just(2), .just("b")) { "\($0)\($1)\($2)" }
    #expect(with.observed().written() == "12b |")
    #expect(Maybe.zip(.just(1), .just(2)).map { $0 + $1 }.observed().written() == "3 |")
    let three = Maybe.zip(Maybe.just(1), Maybe.just(2), Maybe.just(3))
    #expect(three.map { $0 + $1 + $2 }.observed().written() == "6 |")
    let one = Single.just(1)
    let eight = Single.zip(one, one, one, one, one, one, one, one) {
      [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
    }
    #expect(eight.observed().written() == "8 |")
    let failing = Single.zip(one, Single<Int>.error(TestError.any)) { $0 + $1 }
    #expect(failing.observed().written() == "x")
    let throwing = Single.zip(one, one) { _, _ -> Int in throw TestError.any }
    #expect(throwing.observed().written() == "x")
  }

  @Test func `zip of a collection`() {
    let singles = [Single.just(1), .just(2), .just(3)]
    #expect(Single.zip(singles).observed().written() == "[1, 2, 3] |")
    #expect(Single.zip(singles) { $0.reduce(0, +) }.observed().written() == "6 |")
    #expect(Single<Int>.zip(singles) { "\($0.count)" }.observed().written() == "3 |")
    #expect(Maybe.zip([Maybe.just(1), .just(2)]).observed().written() == "[1, 2] |")
    #expect(Single.zip(singles + [.error(TestError.any)]).observed().written() == "x")
  }

  @Test func `zip of an empty collection has one element`() {
    #expect(Single<Int>.zip([]).observed().written() == "[] |")
    #expect(Single<Int>.zip([]) { $0.count }.observed().written() == "0 |")
    #expect(Maybe<Int>.zip([]) { $0.count }.observed().written() == "0 |")
    let throwing = Single<Int>.zip([]) { _ -> Int in throw TestError.any }
    #expect(throwing.observed().written() == "x")
  }

  @Test func `zip of maybes completes when all have, without an element when one had none`() {
    let first = scheduler.createHotObservable([.next(210, 1), .completed(215)])
    let second = scheduler.createHotObservable([.completed(230, Int.self)])
    let observer = scheduler.start { Maybe.zip(first.asMaybe(), second.asMaybe()) { $0 + $1 } }
    #expect(observer.events == [.completed(230)])
    #expect(first.subscriptions == [Subscription(200, 215)])
  }

  @Test func `closures that are called from many threads at once hear one end`() {
    for _ in 0..<50 {
      let log = Log<String>()
      let observers = Log<@Sendable (MaybeEvent<Int>) -> Void>()
      let subscription = Maybe<Int>.create { observer in
        observers.append(observer)
        return Disposables.create()
      }
      .asObservable().write(to: log)
      onThreads(4) { index in
        for observer in observers.entries {
          observer(index % 2 == 0 ? .success(index) : .error(TestError.any))
        }
      }
      #expect(log.entries == ["x"] || (log.count == 2 && log.entries[1] == "|"))
      subscription.dispose()
    }
  }

  @Test func `an observer called again while it is told hears nothing`() {
    let log = Log<String>()
    let observers = Log<Single<Int>.SingleObserver>()
    let single = Single<Int>.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    let subscription = single.asObservable()
      .do(onNext: { _ in observers.entries.first?(.success(2)) }).write(to: log)
    observers.entries.first?(.success(1))
    #expect(log.entries == ["1", "|", "released"])
    subscription.dispose()
  }
}
