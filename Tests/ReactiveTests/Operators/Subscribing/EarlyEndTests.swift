import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Sources that an operator ends before they end by themselves: the second end counts for nothing.
@Suite(.workerPool) struct EarlyEndTests {
  /// One element each, and an end that is told twice.
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

  /// What `transform` of each source emits: an element, then the completion.
  private func expectElementThenEnd(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ transform: (Observable<Int>, Observable<Int>) -> Observable<Int>
  ) {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log<String>()
      let later = Observable<Int>.timer(.seconds(10), scheduler: scheduler)
      let subscription = transform(source(scheduler), later).write(to: log)
      scheduler.start()
      #expect(log.entries == ["0", "|"], "source \(index)", sourceLocation: sourceLocation)
      subscription.dispose()
    }
  }

  @Test func `flatMap and concatMap and flatMapLatest wait for what they run`() {
    expectElementThenEnd { source, later in source.flatMap { _ in later } }
    expectElementThenEnd { source, later in source.concatMap { _ in later } }
    expectElementThenEnd { source, later in source.flatMapLatest { _ in later } }
    expectElementThenEnd { source, later in source.map { _ in later }.merge() }
    expectElementThenEnd { source, later in source.map { _ in later }.switchLatest() }
    expectElementThenEnd { source, later in source.map { _ in later }.merge(maxConcurrent: 2) }
  }

  @Test func `what runs inside counts once`() {
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

  @Test func `operators over several sources wait for the others`() {
    expectElementThenEnd { source, later in .merge(source.filter { _ in false }, later) }
    expectElementThenEnd { source, later in .concat(source.filter { _ in false }, later) }
    expectElementThenEnd { source, later in .zip(source, later) { $1 } }
    expectElementThenEnd { source, later in .combineLatest(source, later) { $1 } }
    expectElementThenEnd { source, later in later.withLatestFrom(source) { first, _ in first } }
  }

  @Test func `do is called once`() {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log<String>()
      let subscription = source(scheduler)
        .do(
          onCompleted: { log.append("completed") },
          afterCompleted: { log.append("after") },
          onDispose: { log.append("dispose") }
        )
        .subscribe()
      scheduler.start()
      #expect(log.entries.prefix(2) == ["completed", "after"], "source \(index)")
      #expect(log.entries.suffix(1) == ["dispose"] && log.count == 3, "source \(index)")
      subscription.dispose()
    }
  }

  @Test func `an error that a closure throws is the only end that do sees`() {
    let log = Log<String>()
    func watch(_ source: Observable<Int>) {
      source.do(
        onError: { _ in log.append("x") },
        onCompleted: { log.append("|") }
      )
      .subscribe(onError: { _ in }).dispose()
    }
    watch(.just(1).map { _ in throw TestError.any })
    #expect(log.entries == ["x"])
    watch(.just(1).filter { _ in throw TestError.any })
    #expect(log.entries == ["x", "x"])
    watch(.just(1).catchAndReturn(2).scan(0) { _, _ in throw TestError.any })
    #expect(log.entries == ["x", "x", "x"])
    Observable.just(1).do(
      onNext: { _ in throw TestError.any },
      onError: { _ in log.append("own error") },
      onCompleted: { log.append("own completion") }
    )
    .subscribe(onError: { _ in }).dispose()
    #expect(log.count == 3)
  }

  @Test func `asSingle hands its element over once`() {
    for (index, source) in Self.sources.enumerated() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log<String>()
      let subscription = source(scheduler).asSingle()
        .flatMap { _ -> Single<Int> in
          log.append("selected")
          return .just(7)
        }
        .subscribe(onSuccess: { log.append("\($0)") })
      scheduler.start()
      #expect(log.entries == ["selected", "7"], "source \(index)")
      subscription.dispose()
    }
  }

  @Test func `asSingle emits nothing after its error`() {
    let log = Log<String>()
    Observable.of(1, 2, 3).asSingle().asObservable()
      .do(onError: { _ in log.append("x") }).write(to: log, "> ").dispose()
    #expect(log.entries == ["x", "> x"])
  }

  @Test func `take(until:) tells do upstream of one end while its own waits at the gate`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let throwing = source.map { element -> Int in
      if element == 2 { throw TestError.any }
      return element
    }
    let subscription =
      throwing
      .do(onError: { _ in log.append("do x") }, onCompleted: { log.append("do |") })
      .take(until: Observable<Int>.never())
      .do(onNext: { _ in
        // While this is delivered, another thread ends the source, twice.
        onAnotherThread {
          source.onNext(2)
          source.onCompleted()
        }
      })
      .write(to: log)
    source.onNext(1)
    #expect(log.entries == ["do x", "1", "x"])
    subscription.dispose()
  }

  @Test func `catch and retry go on once`() {
    let log = Log<String>()
    let failing = Observable.just(1).map { _ -> Int in throw TestError.any }
    let caught = failing.catch { _ in
      log.append("caught")
      return .just(2)
    }
    #expect(caught.written() == "2 |")
    #expect(log.entries == ["caught"])
    let tries = Log<Int>()
    #expect(
      Observable<Int>.deferred {
        tries.append(1)
        return failing
      }.retry(3).written() == "x"
    )
    #expect(tries.count == 3)
  }
}
