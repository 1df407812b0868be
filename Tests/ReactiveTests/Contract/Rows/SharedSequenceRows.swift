import Reactive

extension Table {
  mutating func addSharedSequences() {
    addConversions()
    var drivers = SharedSequenceRows<DriverSharingStrategy>("Driver")
    var signals = SharedSequenceRows<SignalSharingStrategy>("Signal")
    var infallibles = SharedSequenceRows<InfallibleStrategy>("Infallible")
    drivers.addAll()
    signals.addAll()
    infallibles.addAll()
    add(drivers.rows + signals.rows + infallibles.rows)
    addInfallible()
  }

  private mutating func addConversions() {
    main("asDriver(onErrorJustReturn:)") { $0.asDriver(onErrorJustReturn: 7).asObservable() }
    main("asDriver(onErrorDriveWith:)") { $0.asDriver(onErrorDriveWith: .empty()).asObservable() }
    main("asDriver(onErrorRecover:)") {
      $0.asDriver(onErrorRecover: { _ in .just(7) }).asObservable()
    }
    main("asSignal(onErrorJustReturn:)") { $0.asSignal(onErrorJustReturn: 7).asObservable() }
    main("asSignal(onErrorSignalWith:)") { $0.asSignal(onErrorSignalWith: .empty()).asObservable() }
    main("asSignal(onErrorRecover:)") {
      $0.asSignal(onErrorRecover: { _ in .just(7) }).asObservable()
    }
    one("asInfallible(onErrorJustReturn:)", "1 2 3 |", .handlesErrors) {
      $0.asInfallible(onErrorJustReturn: 7).asObservable()
    }
    one("asInfallible(onErrorFallbackTo:)", "1 2 3 |", .handlesErrors) {
      $0.asInfallible(onErrorFallbackTo: .of(7, 8)).asObservable()
    }
    one("asInfallible(onErrorRecover:)", "1 2 3 |", .handlesErrors) {
      $0.asInfallible(onErrorRecover: { _ in .just(7) }).asObservable()
    }
    main("asSharedSequence(sharingStrategy:onErrorJustReturn:)") {
      $0.asSharedSequence(sharingStrategy: DriverSharingStrategy.self, onErrorJustReturn: 7)
        .asObservable()
    }
    main("asSharedSequence(sharingStrategy:onErrorDriveWith:)") {
      $0.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorDriveWith: .empty())
        .asObservable()
    }
    main("asSharedSequence(sharingStrategy:onErrorRecover:)") {
      $0.asSharedSequence(sharingStrategy: DriverSharingStrategy.self) { _ in .just(7) }
        .asObservable()
    }
    source("RelayType.asDriver()", "1", .onMain) { _ in
      BehaviorRelay(value: 1).asDriver().asObservable()
    }
    source("RelayType.asSignal()", "1", .onMain) { _ in
      BehaviorRelay(value: 1).asSignal().asObservable()
    }
    source("RelayType.asInfallible()", "1") { _ in
      BehaviorRelay(value: 1).asInfallible().asObservable()
    }
    main("SharedSequence.asDriver()") {
      $0.asSignal(onErrorJustReturn: 7).asDriver().asObservable()
    }
    main("Driver.asDriver()") { $0.asDriver(onErrorJustReturn: 7).asDriver().asObservable() }
    main("Signal.asSignal()") { $0.asSignal(onErrorJustReturn: 7).asSignal().asObservable() }
    main("SharedSequence.asInfallible()") {
      $0.asDriver(onErrorJustReturn: 7).asInfallible().asObservable()
    }
  }

  /// Creation functions of drivers and signals.
  private mutating func main(
    _ name: String,
    _ build: @escaping @Sendable (Observable<Int>) -> Observable<Int>
  ) {
    add(name, "1 2 3 |", .shared, sources: 1, [.onMain, .handlesErrors]) { sources, _ in
      build(sources[0])
    }
  }

  private mutating func addInfallible() {
    source("Infallible.create(subscribe:)", "1 |") { _ in
      Infallible.create { observer in
        observer(.next(1))
        observer(.completed)
        observer(.next(2))
        return Disposables.create()
      }
      .asObservable()
    }
    source("Infallible.just(_:scheduler:)", "1 |") {
      Infallible.just(1, scheduler: $0).asObservable()
    }
    source("Infallible.of(_:scheduler:)", "1 2 |") {
      Infallible.of(1, 2, scheduler: $0).asObservable()
    }
    source("Infallible.from(_:scheduler:)", "1 2 |") {
      Infallible.from(1...2, scheduler: $0).asObservable()
    }
    infallible("Infallible.observe(on:)") { $0.observe(on: $1) }
    infallible("Infallible.subscribe(on:)", .disposesInTurn) { $0.subscribe(on: $1) }
    infallible("Infallible.share(replay:scope:)") { source, _ in source.share(replay: 1) }
    infallible("Infallible.take(until:)") { source, _ in source.take(until: Observable<Int>.never())
    }
    infallible("Infallible.take(for:scheduler:)") { $0.take(for: .never, scheduler: $1) }
    two("Infallible.skip(until:)", "2 3 |", [.handlesErrors, .mayNotEnd]) {
      $0.asInfallible(onErrorJustReturn: 7).skip(until: $1).asObservable()
    }
    infallible("Infallible.debounce(_:scheduler:)") { $0.debounce(.seconds(5), scheduler: $1) }
    infallible("Infallible.throttle(_:latest:scheduler:)") {
      $0.throttle(.seconds(15), scheduler: $1)
    }
    infallible("Infallible.delay(_:scheduler:)") { $0.delay(.seconds(5), scheduler: $1) }
  }

  private mutating func infallible(
    _ name: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Infallible<Int>, any SchedulerType) -> Infallible<Int>
  ) {
    timed(name, "1 2 3 |", traits.union(.handlesErrors)) {
      build($0.asInfallible(onErrorJustReturn: 7), $1).asObservable()
    }
  }
}

/// The rows of operators that drivers, signals and infallibles have in common.
private struct SharedSequenceRows<Strategy: SharingStrategyProtocol> {
  private typealias Sequence = SharedSequence<Strategy, Int>

  private let variant: String
  private var table = Table()
  private let isOnMain = Strategy.self != InfallibleStrategy.self

  init(_ variant: String) { self.variant = variant }

  var rows: [Row] { table.rows }

  private mutating func source(
    _ name: String,
    _ emits: String,
    _ build: @escaping @Sendable () -> Sequence
  ) {
    table.add(
      "SharedSequence.\(name)",
      emits,
      .creation,
      sources: 0,
      isOnMain ? .onMain : [],
      variant: variant
    ) { _, _ in build().asObservable() }
  }

  /// - Parameter replaying: what drivers emit, when the replayed element makes a difference.
  private mutating func add(
    _ count: Int,
    _ name: String,
    _ emits: String,
    replaying: String? = nil,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable ([Sequence]) -> Sequence
  ) {
    table.add(
      name.hasPrefix("Observable.") ? name : "SharedSequence.\(name)",
      Strategy.self == DriverSharingStrategy.self ? replaying ?? emits : emits,
      isOnMain ? .shared : count == 1 ? .oneSource : .severalSources,
      sources: count,
      traits.union(isOnMain ? [.onMain, .handlesErrors] : .handlesErrors),
      variant: variant
    ) { sources, _ in
      build(sources.map { $0.asSharedSequence(onErrorJustReturn: 7) }).asObservable()
    }
  }

  private mutating func one(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Sequence) -> Sequence
  ) { add(1, name, emits, traits) { build($0[0]) } }

  private mutating func two(
    _ name: String,
    _ emits: String,
    replaying: String? = nil,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Sequence, Sequence) -> Sequence
  ) { add(2, name, emits, replaying: replaying, traits) { build($0[0], $0[1]) } }

  private mutating func timed(
    _ name: String,
    _ emits: String,
    _ build: @escaping @Sendable (Sequence) -> Sequence
  ) {
    // Infallibles without a scheduler of their own need the main queue here too.
    table.add(
      "SharedSequence.\(name)",
      emits,
      .shared,
      sources: 1,
      [.onMain, .handlesErrors],
      variant: variant
    ) { sources, _ in build(sources[0].asSharedSequence(onErrorJustReturn: 7)).asObservable() }
  }

  mutating func addAll() {
    source("just(_:)", "1 |") { .just(1) }
    source("empty()", "|") { .empty() }
    source("never()", "") { .never() }
    source("of(_:)", "1 2 |") { .of(1, 2) }
    source("from(_:)", "1 2 |") { .from([1, 2]) }
    source("from(_:)", "1 2 |") { .from(1...2) }
    source("from(optional:)", "1 |") { .from(optional: 1) }
    source("deferred(_:)", "1 |") { .deferred { .just(1) } }
    table.add("SharedSequence.interval(_:)", "0 1 2 3", .creation, sources: 0, .onMain) { _, _ in
      Sequence.interval(.seconds(10)).asObservable()
    }
    table.add("SharedSequence.timer(_:period:)", "0 1", .creation, sources: 0, .onMain) { _, _ in
      Sequence.timer(.seconds(10), period: .seconds(20)).asObservable()
    }

    one("map(_:)", "2 3 4 |") { $0.map { $0 + 1 } }
    one("compactMap(_:)", "1 3 |") { $0.compactMap { $0 == 2 ? nil : $0 } }
    one("scan(_:accumulator:)", "1 3 6 |") { $0.scan(0) { $0 + $1 } }
    one("scan(into:accumulator:)", "1 3 6 |") { $0.scan(into: 0) { $0 += $1 } }
    one("startWith(_:)", "9 1 2 3 |") { $0.startWith(9) }
    one("filter(_:)", "2 3 |") { $0.filter { $0 > 1 } }
    one("take(_:)", "1 2 |") { $0.take(2) }
    one("take(while:behavior:)", "1 2 |") { $0.take(while: { $0 < 3 }) }
    one("take(until:behavior:)", "1 2 |") { $0.take(until: { $0 == 2 }, behavior: .inclusive) }
    one("skip(_:)", "3 |") { $0.skip(2) }
    one("skip(while:)", "2 3 |") { $0.skip(while: { $0 < 2 }) }
    one("withUnretained(_:resultSelector:)", "1 2 3 |") { $0.withUnretained(unretained) { $1 } }
    one("withUnretained(_:)", "1 2 3 |") { $0.withUnretained(unretained).map { $0.1 } }
    one("distinctUntilChanged()", "1 2 3 |") { $0.distinctUntilChanged() }
    one("distinctUntilChanged(_:)", "1 2 |") { $0.distinctUntilChanged { $0 / 2 } }
    one("distinctUntilChanged(_:)", "1 |") { $0.distinctUntilChanged { _, _ in true } }
    one("distinctUntilChanged(_:comparer:)", "1 2 3 |") {
      $0.distinctUntilChanged({ -$0 }, comparer: { $0 == $1 })
    }
    one("distinctUntilChanged(at:)", "1 2 |") { $0.distinctUntilChanged(at: \.leadingZeroBitCount) }
    one(
      "do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
      "1 2 3 |"
    ) { $0.do(onNext: { _ in }, onCompleted: {}, onDispose: {}) }

    two("skip(until:)", "2 3 |", .mayNotEnd) { $0.skip(until: $1) }
    two("take(until:)", "1 2 3 |", .feedsFirst) { $0.take(until: $1) }
    two("merge(_:)", "1 11 2 12 3 13 |", .emitsAll) { .merge($0, $1) }
    two("merge(_:)", "1 11 2 12 3 13 |", .emitsAll) { .merge([$0, $1]) }
    two("merge(_:)", "1 11 2 12 3 13 |", .emitsAll) { .merge(ContiguousArray([$0, $1])) }
    two("merge()", "11 12 12 13 13 13 |", replaying: "11 11 12 12 12 13 13 13 |") { first, second in
      first.map { _ in second }.merge()
    }
    two(
      "merge(maxConcurrent:)",
      "11 12 12 13 13 |",
      replaying: "11 11 12 12 13 13 |",
      .dependsOnEnd
    ) { first, second in
      first.map { _ in second }.merge(maxConcurrent: 2)
    }
    two("flatMap(_:)", "11 12 12 13 13 13 |", replaying: "11 11 12 12 12 13 13 13 |") {
      first, second in first.flatMap { _ in second }
    }
    two("flatMapFirst(_:)", "11 12 13 |") { first, second in first.flatMapFirst { _ in second } }
    two("flatMapLatest(_:)", "11 12 13 |") { first, second in first.flatMapLatest { _ in second } }
    two("concatMap(_:)", "11 12 13 |", .dependsOnEnd) { first, second in
      first.concatMap { _ in second }
    }
    two("switchLatest()", "11 12 13 |") { first, second in first.map { _ in second }.switchLatest()
    }
    two("concat(_:)", "1 2 3 |", .dependsOnEnd) { .concat($0, $1) }
    two("concat(_:)", "1 2 3 |", .dependsOnEnd) { .concat([$0, $1]) }
    two("concat(_:)", "1 2 3 |", .dependsOnEnd) { $0.concat($1) }
    two("withLatestFrom(_:resultSelector:)", "13 15 |", .dependsOnOrder) {
      $0.withLatestFrom($1, resultSelector: { $0 + $1 })
    }
    two("withLatestFrom(_:)", "11 12 |", .dependsOnOrder) { $0.withLatestFrom($1) }

    two(selecting("zip", 2), "12 14 16 |") { .zip($0, $1, resultSelector: { $0 + $1 }) }
    two("zip(_:)", "12 14 16 |") {
      SharedSequence<Strategy, Int>.zip([$0, $1]).map { $0[0] + $0[1] }
    }
    two("combineLatest(_:)", "12 13 14 15 16 |") {
      SharedSequence<Strategy, Int>.combineLatest([$0, $1]).map { $0[0] + $0[1] }
    }
    two(selecting("combineLatest", 2), "12 13 14 15 16 |") {
      .combineLatest($0, $1, resultSelector: { $0 + $1 })
    }

    timed("debounce(_:)", "1 2 3 |") { $0.debounce(.seconds(5)) }
    timed("throttle(_:latest:)", "1 2 3 |") { $0.throttle(.seconds(15)) }
    timed("delay(_:)", "1 2 3 |") { $0.delay(.seconds(5)) }
  }
}
