import Reactive
import ReactiveTesting
import TestSupport
import Testing

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A custom operator on singles.
  fileprivate func asText() -> Single<String> { map { "\($0)" } }
}

extension PrimitiveSequenceType {
  /// A custom operator on all traits.
  fileprivate func observed() -> Observable<Element> { primitiveSequence.asObservable() }
}

/// A resource of `using`.
private struct Resource: Disposable {
  let onDispose: @Sendable () -> Void

  func dispose() { onDispose() }
}

@Suite(.workerPool) struct PrimitiveSequenceTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `custom operators can extend one trait or all`() {
    #expect(Single.just(1).asText().observed().recorded() == "1 |")
    #expect(Completable.empty().observed().recorded() == "|")
  }

  @Test func `singles, maybes and completables have the common functions`() {
    func recorded<Trait, Element: Sendable>(_ sequence: PrimitiveSequence<Trait, Element>) -> String
    {
      sequence.asObservable().recorded()
    }
    #expect(recorded(Single<Int>.error(TestError.any)) == "x")
    #expect(recorded(Maybe<Int>.error(TestError.any)) == "x")
    #expect(recorded(Completable.error(TestError.any)) == "x")
    #expect(recorded(Single<Int>.never()) == "")
    #expect(recorded(Maybe<Int>.never()) == "")
    #expect(recorded(Completable.never()) == "")
    #expect(recorded(Single.deferred { .just(1) }) == "1 |")
    #expect(recorded(Maybe<Int>.deferred { throw TestError.any }) == "x")
    #expect(recorded(Completable.deferred { .empty() }) == "|")
    #expect(recorded(Single<Int>.error(TestError.any).catch { _ in .just(3) }) == "3 |")
    #expect(recorded(Maybe<Int>.error(TestError.any).catch { _ in .empty() }) == "|")
    #expect(recorded(Completable.error(TestError.any).catch { throw $0 }) == "x")
    #expect(recorded(Single.just(1, scheduler: CurrentThreadScheduler.instance)) == "1 |")
    #expect(recorded(Maybe.just(1, scheduler: CurrentThreadScheduler.instance)) == "1 |")
  }

  @Test func `PrimitiveSequence.retry subscribes again after an error`() {
    let log = EventRecorder<Int>()
    let third = Single<Int>.deferred {
      log.append(log.count)
      return log.count < 3 ? .error(TestError.any) : .just(log.count)
    }
    #expect(third.retry(2).asObservable().recorded() == "x")
    #expect(log.count == 2)
    #expect(third.retry().asObservable().recorded() == "3 |")
    #expect(log.count == 3)
  }

  @Test func `Maybe.delay emits after its duration`() {
    let delayed = scheduler.start { Maybe.just(1).delay(.seconds(2), scheduler: scheduler) }
    #expect(delayed.events == [.next(202, 1), .completed(203)])
  }

  @Test func `Completable.delay completes after its duration`() {
    let observer = scheduler.start { Completable.empty().delay(.seconds(2), scheduler: scheduler) }
    #expect(observer.events == [.completed(202)])
  }

  @Test func `Completable.delaySubscription subscribes after its duration`() {
    let observer = scheduler.start {
      Completable.empty().delaySubscription(.seconds(2), scheduler: scheduler)
    }
    #expect(observer.events == [.completed(202)])
  }

  @Test func `PrimitiveSequence.retry(when:) subscribes again when its notifier emits`() {
    let log = EventRecorder<Int>()
    let second = Maybe<Int>.deferred {
      log.append(log.count)
      return log.count < 2 ? .error(TestError.any) : .just(log.count)
    }
    #expect(second.retry { errors in errors }.observed().recorded() == "2 |")
    let typed = Single<Int>.error(TestError.any).retry { (errors: Observable<TestError>) in
      errors.map { throw $0 }.map { (_: Int) in }
    }
    #expect(typed.observed().recorded() == "x")
  }

  @Test func `Maybe.timeout fails or continues with another maybe`() {
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

  @Test
  func
    `PrimitiveSequence.using creates its resource at subscription and disposes of it at the end`()
  {
    let log = EventRecorder<TestTime>()
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
    #expect(log.events == [200, 300])
    #expect(source.subscriptions == [Subscription(200, 300)])
    let failing = Completable.using {
      Resource {}
    } primitiveSequenceFactory: { _ in
      throw TestError.any
    }
    #expect(failing.observed().recorded() == "x")
  }

  @Test func `Single.debug passes events through`() {
    #expect(Single.just(1).debug("one").observed().recorded() == "1 |")
  }

  @Test func `Single.timer and Maybe.timer emit after their duration`() {
    let timer = scheduler.start { Single<Int>.timer(.seconds(2), scheduler: scheduler) }
    #expect(timer.events == [.next(202, 0), .completed(202)])
    #expect(Maybe<Int>.timer(.seconds(2), scheduler: scheduler).asObservable().recorded() == "")
  }

  @Test func `Maybe.observe(on:) delivers on its scheduler`() {
    let observed = scheduler.start { Maybe.just(1).observe(on: scheduler) }
    #expect(observed.events == [.next(201, 1), .completed(202)])
  }

  @Test func `Completable.subscribe(on:) subscribes on its scheduler`() {
    let subscribed = scheduler.start { Completable.empty().subscribe(on: scheduler) }
    #expect(subscribed.events == [.completed(201)])
  }

  @Test func `Single.zip and Maybe.zip combine different elements`() {
    let (number, letter) = (Single.just(1), Single.just("a"))
    #expect(Single.zip(number, letter) { "\($0)\($1)" }.observed().recorded() == "1a |")
    let pairs: Single<(Int, String)> = Single.zip(number, letter)
    #expect(pairs.map { "\($0.1)\($0.0)" }.observed().recorded() == "a1 |")
    let with = Single.zip(number, .just(2), .just("b")) { "\($0)\($1)\($2)" }
    #expect(with.observed().recorded() == "12b |")
    #expect(Maybe.zip(.just(1), .just(2)).map { $0 + $1 }.observed().recorded() == "3 |")
    let three = Maybe.zip(Maybe.just(1), Maybe.just(2), Maybe.just(3))
    #expect(three.map { $0 + $1 + $2 }.observed().recorded() == "6 |")
    let one = Single.just(1)
    let eight = Single.zip(one, one, one, one, one, one, one, one) {
      [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
    }
    #expect(eight.observed().recorded() == "8 |")
    let failing = Single.zip(one, Single<Int>.error(TestError.any)) { $0 + $1 }
    #expect(failing.observed().recorded() == "x")
    let throwing = Single.zip(one, one) { _, _ -> Int in throw TestError.any }
    #expect(throwing.observed().recorded() == "x")
  }

  @Test func `Single.zip and Maybe.zip combine a collection`() {
    let singles = [Single.just(1), .just(2), .just(3)]
    #expect(Single.zip(singles).observed().recorded() == "[1, 2, 3] |")
    #expect(Single.zip(singles) { $0.reduce(0, +) }.observed().recorded() == "6 |")
    #expect(Single<Int>.zip(singles) { "\($0.count)" }.observed().recorded() == "3 |")
    #expect(Maybe.zip([Maybe.just(1), .just(2)]).observed().recorded() == "[1, 2] |")
    #expect(Single.zip(singles + [.error(TestError.any)]).observed().recorded() == "x")
  }

  @Test func `Single.zip of an empty collection emits one element`() {
    #expect(Single<Int>.zip([]).observed().recorded() == "[] |")
    #expect(Single<Int>.zip([]) { $0.count }.observed().recorded() == "0 |")
    #expect(Maybe<Int>.zip([]) { $0.count }.observed().recorded() == "0 |")
    let throwing = Single<Int>.zip([]) { _ -> Int in throw TestError.any }
    #expect(throwing.observed().recorded() == "x")
  }

  @Test func `Maybe.zip completes without an element when one maybe is empty`() {
    let first = scheduler.createHotObservable([.next(210, 1), .completed(215)])
    let second = scheduler.createHotObservable([.completed(230, Int.self)])
    let observer = scheduler.start { Maybe.zip(first.asMaybe(), second.asMaybe()) { $0 + $1 } }
    #expect(observer.events == [.completed(230)])
    #expect(first.subscriptions == [Subscription(200, 215)])
  }

  @Test func `Maybe.create delivers one end when four threads call its observer`() {
    for _ in 0..<50 {
      let log = EventRecorder<String>()
      let observers = EventRecorder<@Sendable (MaybeEvent<Int>) -> Void>()
      let subscription = Maybe<Int>.create { observer in
        observers.append(observer)
        return Disposables.create()
      }
      .asObservable().record(in: log)
      onThreads(4) { index in
        for observer in observers.events {
          observer(index % 2 == 0 ? .success(index) : .error(TestError.any))
        }
      }
      #expect(log.events == ["x"] || (log.count == 2 && log.events[1] == "|"))
      subscription.dispose()
    }
  }

  @Test func `Single.create ignores an event that its observer sends during delivery`() {
    let log = EventRecorder<String>()
    let observers = EventRecorder<Single<Int>.SingleObserver>()
    let single = Single<Int>.create { observer in
      observers.append(observer)
      return Disposables.create { log.append("released") }
    }
    let subscription = single.asObservable()
      .do(onNext: { _ in observers.events.first?(.success(2)) }).record(in: log)
    observers.events.first?(.success(1))
    #expect(log.events == ["1", "|", "released"])
    subscription.dispose()
  }
}
