import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Sources that an operator ends before their own end: the second end has no effect.
@Suite(.workerPool) struct EarlyEndTests {
  /// Sources of one element whose end is sent twice.
  private static let sources: [@Sendable (TestScheduler) -> Observable<Int>] = [
    { _ in
      .create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create()
      }.take(1)
    },
    { _ in .just(1).take(1) },
    { _ in .of(1, 2).take(1) },
    { .timer(.seconds(1), scheduler: $0).take(1) },
    { _ in .error(TestError.any).catchAndReturn(5).take(1) },
    { _ in
      let subject = ReplaySubject<Int>.create(bufferSize: 1)
      subject.onNext(1)
      subject.onCompleted()
      return subject.take(1)
    },
    { _ in Observable.just(1).asSingle().asObservable().take(1) },
    { Observable.just(1).debounce(.seconds(1), scheduler: $0).take(1) },
    { Observable.just(1).delay(.seconds(1), scheduler: $0).take(1) },
    { Observable.just(1).throttle(.seconds(1), scheduler: $0).take(1) },
  ]

  /// Expects that `transform` of each source emits one element and completes.
  private func expectElementThenEnd(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ transform: (Observable<Int>, Observable<Int>) -> Observable<Int>
  ) {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = EventRecorder<String>()
      let later = Observable<Int>.timer(.seconds(10), scheduler: scheduler)
      let subscription = transform(source(scheduler), later).record(in: log)
      scheduler.start()
      #expect(log.events == ["0", "|"], "source \(index)", sourceLocation: sourceLocation)
      subscription.dispose()
    }
  }

  @Test func `flattening operators wait for inner observables when take ends their source early`() {
    expectElementThenEnd { source, later in source.flatMap { _ in later } }
    expectElementThenEnd { source, later in source.concatMap { _ in later } }
    expectElementThenEnd { source, later in source.flatMapLatest { _ in later } }
    expectElementThenEnd { source, later in source.map { _ in later }.merge() }
    expectElementThenEnd { source, later in source.map { _ in later }.switchLatest() }
    expectElementThenEnd { source, later in source.map { _ in later }.merge(maxConcurrent: 2) }
  }

  @Test func `flattening operators count one end of an inner observable that take ends early`() {
    expectElementThenEnd { source, later in
      .of(1, 2).flatMap { $0 == 1 ? source.filter { _ in false } : later }
    }
    expectElementThenEnd { source, later in
      .of(1, 2).concatMap { $0 == 1 ? source.filter { _ in false } : later }
    }
    expectElementThenEnd { source, later in
      .of(1, 2).flatMapLatest { $0 == 1 ? source.filter { _ in false } : later }
    }
  }

  @Test func `combining operators wait for the other sources when take ends one early`() {
    expectElementThenEnd { source, later in .merge(source.filter { _ in false }, later) }
    expectElementThenEnd { source, later in .concat(source.filter { _ in false }, later) }
    expectElementThenEnd { source, later in .zip(source, later) { $1 } }
    expectElementThenEnd { source, later in .combineLatest(source, later) { $1 } }
    expectElementThenEnd { source, later in later.withLatestFrom(source) { first, _ in first } }
  }

  @Test func `an error is delivered even when its delivery completes the other sources`() {
    typealias Combining = (Observable<Int>, Observable<Int>) -> Observable<Int>
    let operators: [Combining] = [
      { Observable.merge($0, $1) },
      { Observable.of($0, $1).merge() },
      { Observable.combineLatest($0, $1) { $0 + $1 } },
      { Observable.zip($0, $1) { $0 + $1 } },
      { Observable.zip([$0, $1]) { $0[0] + $0[1] } },
    ]
    for (index, combine) in operators.enumerated() {
      let (failing, other) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = EventRecorder<String>()
      let subscription = combine(failing, other).do(onError: { _ in other.onCompleted() })
        .record(in: log)
      failing.onError(TestError.any)
      #expect(log.events == ["x"], "operator \(index)")
      subscription.dispose()
    }
  }

  @Test func `do calls its completion closures once when take ends its source early`() {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = EventRecorder<String>()
      let subscription = source(scheduler)
        .do(
          onCompleted: { log.append("completed") },
          afterCompleted: { log.append("after") },
          onDispose: { log.append("dispose") }
        )
        .subscribe()
      scheduler.start()
      #expect(log.events.prefix(2) == ["completed", "after"], "source \(index)")
      #expect(log.events.suffix(1) == ["dispose"] && log.count == 3, "source \(index)")
      subscription.dispose()
    }
  }

  @Test func `do observes one end when an upstream closure throws`() {
    let log = EventRecorder<String>()
    func watch(_ source: Observable<Int>) {
      source.do(
        onError: { _ in log.append("x") },
        onCompleted: { log.append("|") }
      )
      .subscribe(onError: { _ in }).dispose()
    }
    watch(.just(1).map { _ in throw TestError.any })
    #expect(log.events == ["x"])
    watch(.just(1).filter { _ in throw TestError.any })
    #expect(log.events == ["x", "x"])
    watch(.just(1).catchAndReturn(2).scan(0) { _, _ in throw TestError.any })
    #expect(log.events == ["x", "x", "x"])
    Observable.just(1).do(
      onNext: { _ in throw TestError.any },
      onError: { _ in log.append("own error") },
      onCompleted: { log.append("own completion") }
    )
    .subscribe(onError: { _ in }).dispose()
    #expect(log.count == 3)
  }

  @Test func `asSingle emits its element once when take ends its source early`() {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = EventRecorder<String>()
      let subscription = source(scheduler).asSingle()
        .flatMap { _ -> Single<Int> in
          log.append("selected")
          return .just(7)
        }
        .subscribe(onSuccess: { log.append("\($0)") })
      scheduler.start()
      #expect(log.events == ["selected", "7"], "source \(index)")
      subscription.dispose()
    }
  }

  @Test func `asSingle emits nothing after its error`() {
    let log = EventRecorder<String>()
    Observable.of(1, 2, 3).asSingle().asObservable()
      .do(onError: { _ in log.append("x") }).record(in: log, "> ").dispose()
    #expect(log.events == ["x", "> x"])
  }

  @Test func `an upstream do observes one end while the gate of take(until:) queues it`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let throwing = source.map { element -> Int in
      if element == 2 { throw TestError.any }
      return element
    }
    let subscription =
      throwing
      .do(onError: { _ in log.append("do x") }, onCompleted: { log.append("do |") })
      .take(until: Observable<Int>.never())
      .do(onNext: { _ in
        // During this delivery, another thread ends the source twice.
        onAnotherThread {
          source.onNext(2)
          source.onCompleted()
        }
      })
      .record(in: log)
    source.onNext(1)
    #expect(log.events == ["do x", "1", "x"])
    subscription.dispose()
  }

  @Test func `catch and retry continue once after a throwing closure`() {
    let log = EventRecorder<String>()
    let failing = Observable.just(1).map { _ -> Int in throw TestError.any }
    let caught = failing.catch { _ in
      log.append("caught")
      return .just(2)
    }
    #expect(caught.recorded() == "2 |")
    #expect(log.events == ["caught"])
    let tries = EventRecorder<Int>()
    #expect(
      Observable<Int>.deferred {
        tries.append(1)
        return failing
      }.retry(3).recorded() == "x"
    )
    #expect(tries.count == 3)
  }
}
