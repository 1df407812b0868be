import Reactive
import TestSupport
import Testing

/// A thrown error ends the operator, which disposes of its source.
@Suite("Throwing closures", .workerPool)
struct ThrowingTests {
  /// Fails on 2.
  @discardableResult
  private static func pass(_ element: Int) throws -> Int {
    if element == 2 { throw TestError.any }
    return element
  }

  private static func last(_ elements: Int...) -> Int { elements.last ?? 0 }

  /// Rows whose closure throws in the second round.
  static let rows: [Row] = {
    var table = Table()
    func add(
      _ name: String,
      _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) { table.one(name, "1 x", [], build) }
    func two(
      _ name: String,
      _ build: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) { table.two(name, "11 x", [], build) }

    add("Observable.deferred(_:)") { source in
      source.concatMap { element in Observable.deferred { .just(try pass(element)) } }
    }
    add("map(_:)") { $0.map { try pass($0) } }
    add("compactMap(_:)") { $0.compactMap { try pass($0) } }
    add("scan(_:accumulator:)") { $0.scan(0) { try pass($1) } }
    add("scan(into:accumulator:)") { $0.scan(into: 0) { $0 = try pass($1) } }
    add("filter(_:)") { $0.filter { try pass($0) > 0 } }
    add("distinctUntilChanged(_:)") { $0.distinctUntilChanged { try pass($0) } }
    add("distinctUntilChanged(_:)") { $0.distinctUntilChanged { try pass($1) == 0 } }
    add("distinctUntilChanged(_:comparer:)") {
      $0.distinctUntilChanged({ try pass($0) }, comparer: { $0 == $1 })
    }
    add("distinctUntilChanged(_:comparer:)") {
      $0.distinctUntilChanged({ $0 }, comparer: { try pass($1) == $0 })
    }
    let watching =
      "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:"
      + "onDispose:)"
    add(watching) { $0.do(onNext: { _ = try pass($0) }) }
    table.one(watching, "1 2 x") { $0.do(afterNext: { _ = try pass($0) }) }
    add(watching) { $0.take(1).do(onCompleted: { throw TestError.any }) }
    add("catch(_:)") { $0.map { try pass($0) }.catch { throw $0 } }
    two("flatMap(_:)") { first, _ in first.flatMap { Observable.just(try pass($0) + 10) } }
    two("concatMap(_:)") { first, _ in first.concatMap { Observable.just(try pass($0) + 10) } }
    two("concatMapEager(_:)") { first, _ in
      first.concatMapEager { Observable.just(try pass($0) + 10) }
    }
    table.one("expand(_:)", "1 2 x") {
      $0.expand { Observable.from(optional: try pass($0) > 9 ? 0 : nil) }
    }
    two("flatMapLatest(_:)") { first, _ in
      first.flatMapLatest { Observable.just(try pass($0) + 10) }
    }
    two(selecting("combineLatest", 2)) {
      .combineLatest($0, $1, resultSelector: { last(try pass($0), $1) })
    }
    two(selecting("combineLatest", 3)) {
      .combineLatest($0, $1, $1, resultSelector: { last(try pass($0), $1, $2) })
    }
    two(selecting("combineLatest", 4)) {
      .combineLatest($0, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3) })
    }
    two(selecting("combineLatest", 5)) {
      .combineLatest($0, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4) })
    }
    two(selecting("combineLatest", 6)) {
      .combineLatest(
        $0, $1, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4, $5) })
    }
    two(selecting("combineLatest", 7)) {
      .combineLatest(
        $0, $1, $1, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4, $5, $6) })
    }
    two(selecting("combineLatest", 8)) {
      .combineLatest(
        $0, $1, $1, $1, $1, $1, $1, $1,
        resultSelector: { last(try pass($0), $1, $2, $3, $4, $5, $6, $7) })
    }
    two("Observable.combineLatest(_:resultSelector:)") {
      .combineLatest([$0, $1], resultSelector: { last(try pass($0[0]), $0[1]) })
    }
    two(selecting("zip", 2)) {
      .zip($0, $1, resultSelector: { last(try pass($0), $1) })
    }
    two(selecting("zip", 3)) {
      .zip($0, $1, $1, resultSelector: { last(try pass($0), $1, $2) })
    }
    two(selecting("zip", 4)) {
      .zip($0, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3) })
    }
    two(selecting("zip", 5)) {
      .zip($0, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4) })
    }
    two(selecting("zip", 6)) {
      .zip($0, $1, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4, $5) })
    }
    two(selecting("zip", 7)) {
      .zip(
        $0, $1, $1, $1, $1, $1, $1, resultSelector: { last(try pass($0), $1, $2, $3, $4, $5, $6) })
    }
    two(selecting("zip", 8)) {
      .zip(
        $0, $1, $1, $1, $1, $1, $1, $1,
        resultSelector: { last(try pass($0), $1, $2, $3, $4, $5, $6, $7) })
    }
    two("Observable.zip(_:resultSelector:)") {
      .zip([$0, $1], resultSelector: { last(try pass($0[0]), $0[1]) })
    }
    table.two("withLatestFrom(_:resultSelector:)", "x") {
      $0.withLatestFrom($1, resultSelector: { try pass($0) + $1 })
    }
    let generate = "Observable.generate(initialState:condition:scheduler:iterate:)"
    add(generate) { source in
      source.concatMap {
        Observable.generate(initialState: $0, condition: { try pass($0) < 3 }) { $0 + 1 }
      }
    }
    add(generate) { source in
      source.concatMap {
        Observable.generate(initialState: $0, condition: { _ in true }) { try pass($0 + 1) }
      }
    }
    let using = "Observable.using(_:observableFactory:)"
    add(using) { source in
      source.concatMap { element in
        Observable.using({
          try pass(element); return SerialDisposable()
        }) { _ in .just(element) }
      }
    }
    add(using) { source in
      source.concatMap { element in
        Observable.using({ SerialDisposable() }) { _ in .just(try pass(element)) }
      }
    }
    add("flatMapFirst(_:)") { $0.flatMapFirst { Observable.just(try pass($0)) } }
    add("groupBy(keySelector:)") { $0.groupBy { try pass($0) }.merge() }
    table.one("multicast(_:selector:)", "x") {
      $0.multicast({ PublishSubject<Int>() }) { _ -> Observable<Int> in throw TestError.any }
    }
    table.one("skip(while:)", "x") { $0.skip(while: { try pass($0) < 9 }) }
    add("take(while:behavior:)") { $0.take(while: { try pass($0) > 0 }) }
    add("take(until:behavior:)") { $0.take(until: { try pass($0) > 9 }) }
    add("single(_:)") { $0.single { try pass($0) == 1 } }
    table.one("reduce(_:accumulator:)", "x") { $0.reduce(0) { try pass($1) } }
    table.one("reduce(_:accumulator:mapResult:)", "x") {
      $0.take(1).reduce(0, accumulator: { $0 + $1 }, mapResult: { try pass($0 + 1) })
    }
    table.one("reduce(_:accumulator:mapResult:)", "x") {
      $0.reduce(0, accumulator: { try pass($1) }, mapResult: { $0 })
    }
    addPrimitive { add($0, $1) }
    return table.rows
  }()

  /// Adds the closures of primitive sequences, on a single of each element.
  private static func addPrimitive(
    _ add: (String, @escaping @Sendable (Observable<Int>) -> Observable<Int>) -> Void
  ) {
    func single(
      _ name: String,
      _ build: @escaping @Sendable (Single<Int>) -> any ObservableConvertibleType<Int>
    ) { add(name) { source in source.concatMap { build(Single.just($0)).asObservable() } } }

    single("PrimitiveSequence.deferred(_:)") { single in
      single.flatMap { element in Single.deferred { .just(try pass(element)) } }
    }
    let using = "PrimitiveSequence.using(_:primitiveSequenceFactory:)"
    single(using) { single in
      single.flatMap { element in
        Single.using(
          { SerialDisposable() }, primitiveSequenceFactory: { _ in .just(try pass(element)) })
      }
    }
    single(using) { single in
      single.flatMap { element in
        Single.using(
          {
            try pass(element); return SerialDisposable()
          },
          primitiveSequenceFactory: { _ in .just(element) }
        )
      }
    }
    single("PrimitiveSequence.map(_:)") { $0.map { try pass($0) } }
    single("PrimitiveSequence.compactMap(_:)") { $0.compactMap { try pass($0) } }
    single("PrimitiveSequence.filter(_:)") { $0.filter { try pass($0) > 0 } }
    single("PrimitiveSequence.flatMap(_:)") { $0.flatMap { .just(try pass($0)) } }
    single("PrimitiveSequence.catch(_:)") { $0.map { try pass($0) }.catch { throw $0 } }
    single("PrimitiveSequence.zip(_:_:resultSelector:)") {
      Single.zip($0, $0) { first, _ in try pass(first) }
    }
    single("PrimitiveSequence.zip(_:resultSelector:)") {
      Single.zip([$0, $0]) { try pass($0[0]) }
    }
    single(
      "PrimitiveSequence.do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:"
        + "onSubscribe:onSubscribed:onDispose:)"
    ) { $0.asMaybe().do(onNext: { _ = try pass($0) }) }
    single(
      "Single.do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)"
    ) {
      $0.do(onSuccess: { _ = try pass($0) })
    }
    single("Single.flatMapMaybe(_:)") { $0.flatMapMaybe { .just(try pass($0)) } }
    single("Single.flatMapCompletable(_:)") { single in
      single.flatMapCompletable {
        _ = try pass($0); return .empty()
      }.andThen(single)
    }
  }

  @Test(arguments: rows)
  func `an error thrown by a closure ends the operator and disposes of the source`(row: Row) {
    OperatorHarness.with(row) { harness in
      let log = EventRecorder<String>()
      let subscription = harness.observable.record(in: log)
      harness.round(1)
      harness.round(2)
      #expect(log.text == row.emits)
      #expect(harness.isDisposedOf)
      harness.round(3)
      harness.complete()
      #expect(log.text == row.emits)
      subscription.dispose()
    }
  }

  @Test(arguments: rows)
  func `an error thrown by a closure is sent downstream once`(row: Row) {
    OperatorHarness.with(row) { harness in
      let log = EventRecorder<String>()
      let subscription = harness.observable
        .do(onError: { _ in log.append("x") }, onCompleted: { log.append("|") })
        .catchAndReturn(100).concat(Observable.never()).subscribe()
      harness.rounds()
      for probe in harness.probes { probe.endRepeatedly() }
      #expect(log.events == ["x"])
      #expect(harness.isDisposedOf)
      subscription.dispose()
    }
  }
}
