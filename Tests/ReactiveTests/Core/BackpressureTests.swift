import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

#if canImport(CReactiveSystem) && !SANITIZED
import CReactiveSystem
#endif

/// Sources that a full buffer suspends.
@Suite(.workerPool) struct BackpressureTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// Counts the elements produced, and the maximum number of them in flight.
  private final class Ledger: Sendable {
    private let counts = Locked((made: 0, taken: 0, most: 0))

    var made: Int { counts.withLock { $0.made } }
    var most: Int { counts.withLock { $0.most } }

    func make() {
      counts.withLock {
        $0.made += 1
        $0.most = max($0.most, $0.made - $0.taken)
      }
    }

    func take() { counts.withLock { $0.taken += 1 } }
  }

  /// A source whose elements are counted.
  private static func counted(_ source: Observable<Int>, _ ledger: Ledger) -> Observable<Int> {
    source.do(onNext: { _ in ledger.make() })
  }

  /// Delivers `source` through a buffer of four elements, one element in a tick.
  private func deliver(
    _ source: Observable<Int>, _ ledger: Ledger, _ policy: BufferingPolicy = .bounded(4, .suspend)
  ) -> [String] {
    let log = EventRecorder<String>()
    let subscription = source.observe(on: scheduler, buffer: policy)
      .do(onNext: { _ in ledger.take() }).record(in: log)
    scheduler.start()
    subscription.dispose()
    return log.events
  }

  @Test func `a suspending buffer bounds the elements in flight and delivers all of them`() {
    let later = scheduler
    let sources: [(name: String, source: Observable<Int>)] = [
      ("from", .from(0..<20)),
      ("of", .of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)),
      ("range", .range(start: 0, count: 20)),
      ("generate", .generate(initialState: 0, condition: { $0 < 20 }, iterate: { $0 + 1 })),
      ("repeatElement", .repeatElement(0).enumerated().map(\.index).take(20)),
      ("from on a scheduler", .from(0..<20, scheduler: later)),
      (
        "generate on a scheduler",
        .generate(
          initialState: 0, condition: { $0 < 20 }, scheduler: later, iterate: { $0 + 1 })
      ),
    ]
    for (name, source) in sources {
      let ledger = Ledger()
      let delivered = deliver(Self.counted(source, ledger), ledger)
      #expect(delivered == (0..<20).map { "\($0)" } + ["|"], "\(name)")
      // A source on the scheduler is as fast as its observer.
      #expect(name.hasSuffix("scheduler") ? ledger.most <= 4 : ledger.most == 4, "\(name)")
    }
  }

  @Test func `a suspending buffer of one requests each element separately`() {
    let ledger = Ledger()
    let source = Self.counted(.range(start: 0, count: 5), ledger)
    #expect(deliver(source, ledger, .bounded(1, .suspend)) == ["0", "1", "2", "3", "4", "|"])
    #expect(ledger.most == 1)
  }

  @Test func `a suspending buffer stores all elements of a source that cannot be suspended`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = subject.observe(on: scheduler, buffer: .bounded(2, .suspend)).record(in: log)
    for element in 0..<100 { subject.onNext(element) }
    subject.onCompleted()
    scheduler.start()
    #expect(log.events == (0..<100).map { "\($0)" } + ["|"])
    subscription.dispose()
  }

  @Test func `merged sources alternate before and after a suspension`() {
    let ledger = Ledger()
    let source = Observable<Int>.merge(
      Self.counted(.range(start: 0, count: 10), ledger),
      Self.counted(.range(start: 100, count: 10), ledger))
    let expected = (0..<10).flatMap { ["\($0)", "\(100 + $0)"] } + ["|"]
    #expect(deliver(source, ledger) == expected)
    #expect(ledger.most == 4)
  }

  @Test func `a suspending buffer delivers an error after the buffered elements`() {
    let ledger = Ledger()
    let source = Self.counted(.range(start: 0, count: 10), ledger).map { element in
      if element == 6 { throw TestError.any }
      return element
    }
    #expect(deliver(source, ledger) == ["0", "1", "2", "3", "4", "5", "x"])
    #expect(ledger.made == 7)
  }

  // MARK: Propagation

  /// An operator applied to a source.
  struct Path: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>) -> Observable<Int>

    init(_ name: String, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Int>) {
      testDescription = name
      self.apply = apply
    }
  }

  static let reached: [Path] = [
    Path("map") { $0.map { $0 } },
    Path("compactMap") { $0.compactMap { $0 } },
    Path("filter") { $0.filter { _ in true } },
    Path("scan") { $0.scan(0) { $1 } },
    Path("do") { $0.do(onNext: { _ in }) },
    Path("take") { $0.take(1) },
    Path("take(while:)") { $0.take(while: { _ in true }) },
    Path("skip") { $0.skip(1) },
    Path("distinctUntilChanged") { $0.distinctUntilChanged() },
    Path("startWith") { $0.startWith(1) },
    Path("enumerated") { $0.enumerated().map(\.element) },
    Path("materialize") { $0.materialize().dematerialize() },
    Path("toArray") { $0.toArray().asObservable().map(\.count) },
    Path("take(until:)") { $0.take(until: Observable<Int>.never()) },
    Path("skip(until:)") { $0.skip(until: Observable<Int>.never()) },
    Path("sample") { $0.sample(Observable<Int>.never()) },
    Path("withLatestFrom") { $0.withLatestFrom(Observable<Int>.never()) },
    Path("concat, as the first") { $0.concat(Observable.never()) },
    Path("concat, as the second") { Observable.empty().concat($0) },
    Path("catch, as the source") { $0.catch { _ in .never() } },
    Path("catch, as what follows") { source in Observable.error(TestError.any).catch { _ in source }
    },
    Path("retry") { $0.retry(2) },
    Path("retry(when:)") { $0.retry { (errors: Observable<any Error>) in errors } },
    Path("merge") { .merge(.never(), $0) },
    Path("flatMap, as the source") { $0.flatMap { Observable.just($0) } },
    Path("flatMap, as an inner one") { source in Observable.just(1).flatMap { _ in source } },
    Path("concatMap, as an inner one") { source in Observable.just(1).concatMap { _ in source } },
    Path("concatMapEager, as an inner one") { source in
      Observable.just(1).concatMapEager { _ in source }
    },
    Path("flatMapFirst, as an inner one") { source in
      Observable.just(1).flatMapFirst { _ in source }
    },
    Path("flatMapLatest, as an inner one") { source in
      Observable.just(1).flatMapLatest { _ in source }
    },
    Path("amb") { .amb([$0, .never()]) },
    Path("zip") { .zip($0, Observable<Int>.never()) { first, _ in first } },
    Path("combineLatest") { .combineLatest($0, Observable<Int>.never()) { first, _ in first } },
    Path("timeout") { $0.timeout(.seconds(1), scheduler: TestScheduler(initialClock: 0)) },
    Path("debounce") { $0.debounce(.seconds(1), scheduler: TestScheduler(initialClock: 0)) },
    Path("subscribe(on:)") { $0.subscribe(on: CurrentThreadScheduler.instance) },
    Path("observe(on:)") { $0.observe(on: CurrentThreadScheduler.instance) },
    Path("deferred") { source in .deferred { source } },
  ]

  static let unreached: [Path] = [
    Path("share") { $0.share() },
    Path("share(replay:)") { $0.share(replay: 1) },
    Path("multicast") { $0.publish().autoconnect() },
    Path("create") { source in .create { source.subscribe($0) } },
    Path("observe(on:buffer:) that drops") {
      $0.observe(on: CurrentThreadScheduler.instance, buffer: .latest)
    },
    Path("take(until:), as what ends it") { Observable<Int>.never().take(until: $0) },
    Path("skip(until:), as what begins it") { Observable<Int>.never().skip(until: $0) },
    Path("sample, as the sampler") { Observable<Int>.never().sample($0) },
    Path("withLatestFrom, as the second") { Observable<Int>.never().withLatestFrom($0) },
  ]

  /// Whether a source upstream of `path` has access to the buffer downstream.
  private func reaches(_ path: Path) -> [Bool] {
    let found = EventRecorder<Bool>()
    let probe = Observable<Int> { found.append($0.lifetime.backpressure != nil) }
    path.apply(probe).observe(on: scheduler, buffer: .bounded(4, .suspend)).subscribe().dispose()
    path.apply(probe).observe(on: scheduler, buffer: .bounded(4, .dropOldest)).subscribe().dispose()
    path.apply(probe).subscribe().dispose()
    return found.events
  }

  @Test(arguments: reached) func `backpressure reaches the source of an operator`(path: Path) {
    #expect(reaches(path) == [true, false, false])
  }

  @Test(arguments: unreached)
  func `backpressure reaches neither shared sources nor notifier observables`(path: Path) {
    #expect(reaches(path) == [false, false, false])
  }

  @Test func `a full buffer suspends a suspending buffer upstream`() {
    let slow = TestScheduler(initialClock: 0)
    let ledger = Ledger()
    let log = EventRecorder<Int>()
    let subscription = Self.counted(.range(start: 0, count: 20), ledger)
      .observe(on: scheduler, buffer: .bounded(4, .suspend))
      .observe(on: slow, buffer: .bounded(2, .suspend))
      .subscribe(onNext: { log.append($0) })
    scheduler.start()
    #expect(ledger.made == 6)
    #expect(log.events.isEmpty)
    for _ in 0..<20 {
      slow.start()
      scheduler.start()
    }
    #expect(log.events == Array(0..<20))
    subscription.dispose()
  }

  @Test func `a full buffer suspends a dropping buffer upstream`() {
    let slow = TestScheduler(initialClock: 0)
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let subscription = subject.observe(on: scheduler, buffer: .latest)
      .observe(on: slow, buffer: .bounded(2, .suspend))
      .subscribe(onNext: { log.append($0) })
    for element in 1...9 {
      subject.onNext(element)
      scheduler.start()
    }
    for _ in 0..<3 {
      slow.start()
      scheduler.start()
    }
    #expect(log.events == [1, 2, 9])
    subscription.dispose()
  }

  // MARK: Release

  @Test func `disposal releases a suspended source`() {
    var subscription: (any Disposable)?
    let released = isReleased { token in
      subscription = Observable.repeatElement(1).do(onNext: { _ in token.hold() })
        .observe(on: scheduler, buffer: .bounded(2, .suspend)).subscribe()
      subscription?.dispose()
    }
    #expect(released)
    withExtendedLifetime((scheduler, subscription)) {}
  }

  @Test func `switchLatest releases a replaced suspended source while the buffer is full`() {
    let outer = PublishSubject<Observable<Int>>()
    let subscription = outer.switchLatest()
      .observe(on: scheduler, buffer: .bounded(2, .suspend)).subscribe()
    let released = isReleased { token in
      outer.onNext(Observable.repeatElement(1).do(onNext: { _ in token.hold() }))
      outer.onNext(.never())
    }
    #expect(released)
    subscription.dispose()
  }

  @Test func `disposal ends the task of a suspended async sequence`() {
    final class Ending: Sendable {
      let latch: Latch
      init(_ latch: Latch) { self.latch = latch }
      deinit { latch.open() }
      func hold() {}
    }

    let ended = Latch()
    let isFull = Latch()
    let subscription = { (ending: Ending) in
      AsyncStream(unfolding: {
        ending.hold()
        return 1
      }).asObservable().scan(0) { count, _ in count + 1 }
        .do(onNext: { if $0 == 2 { isFull.open() } })
        .observe(on: scheduler, buffer: .bounded(2, .suspend)).subscribe()
    }(Ending(ended))
    isFull.wait()
    subscription.dispose()
    ended.wait()
  }

  // MARK: Threads

  @Test func `a suspending buffer requests no more elements of an async sequence than fit`() {
    let ledger = Ledger()
    let log = EventRecorder<Int>()
    let done = Latch()
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
    let numbers = AsyncStream(unfolding: { () -> Int? in
      ledger.make()
      return ledger.made <= 5_000 ? ledger.made : nil
    })
    let subscription = numbers.asObservable().observe(on: queue, buffer: .bounded(4, .suspend))
      .subscribe(
        onNext: {
          log.append($0)
          ledger.take()
        }, onCompleted: { done.open() })
    done.wait()
    #expect(log.events == Array(1...5_000))
    // One of the five is being delivered.
    #expect(ledger.most <= 5)
    subscription.dispose()
  }

  @Test func `a suspended source resumes on the scheduler of subscribe(on:)`() {
    let key = DispatchSpecificKey<Bool>()
    let own = DispatchQueue(label: "source")
    own.setSpecific(key: key, value: true)
    let source = SerialDispatchQueueScheduler(queue: own, internalSerialQueueName: "source")
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
    let (ledger, done) = (Ledger(), Latch())
    let elsewhere = Atomic(0)
    let log = EventRecorder<Int>()
    let subscription = Observable.range(start: 0, count: 20_000)
      .do(onNext: { _ in
        ledger.make()
        if DispatchQueue.getSpecific(key: key) == nil { elsewhere.add(1, ordering: .relaxed) }
      })
      .subscribe(on: source)
      .observe(on: queue, buffer: .bounded(8, .suspend))
      .subscribe(
        onNext: {
          log.append($0)
          ledger.take()
        }, onCompleted: { done.open() })
    done.wait()
    #expect(log.events == Array(0..<20_000))
    #expect(elsewhere.load(ordering: .relaxed) == 0)
    #expect(ledger.most <= 9)
    subscription.dispose()
  }

  #if canImport(CReactiveSystem) && !SANITIZED
  @Test func `a suspending buffer delivers a million elements in bounded memory`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scheduler = HistoricalScheduler()
      let count = 1_000_000
      let most = Atomic(0)
      let taken = Atomic(0)
      let before = Int(csystem_heap_in_use())
      let subscription = Observable.range(start: 0, count: count)
        .observe(on: scheduler, buffer: .bounded(64, .suspend))
        .subscribe(onNext: { _ in
          let number = taken.add(1, ordering: .relaxed).newValue
          if number % 1_000 != 0 { return }
          most.max(Int(csystem_heap_in_use()) - before, ordering: .relaxed)
        })
      scheduler.start()
      subscription.dispose()
      let growth = most.load(ordering: .relaxed)
      if taken.load(ordering: .relaxed) != count { report("elements are missing") }
      if growth > 64 << 10 { report("\(growth) bytes") }
    }
    expectNoReport(result)
  }
  #endif
}
