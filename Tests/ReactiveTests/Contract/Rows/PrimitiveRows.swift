import Reactive

/// Converts a source of `Never` to one of numbers.
func none<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Int> {
  source.asObservable().compactMap { _ in nil }
}

extension Table {
  mutating func addPrimitive() {
    addPrimitiveSources()
    addSingles()
    addMaybes()
    addCompletables()
  }

  private mutating func addPrimitiveSources() {
    source("Single.create(subscribe:)", "1 |") { _ in
      Single.create { observer in
        observer(.success(1))
        observer(.success(2))
        return Disposables.create()
      }
      .asObservable()
    }
    source("PrimitiveSequence.create(subscribe:)", "1 |") { _ in
      Maybe.create { observer in
        observer(.success(1))
        observer(.completed)
        return Disposables.create()
      }
      .asObservable()
    }
    source("PrimitiveSequence.create(subscribe:)", "|") { _ in
      none(
        Completable.create { observer in
          observer(.completed)
          observer(.error(TestError.any))
          return Disposables.create()
        }
      )
    }
    source("PrimitiveSequence.just(_:)", "1 |") { _ in Single.just(1).asObservable() }
    source("PrimitiveSequence.just(_:scheduler:)", "1 |") {
      Maybe.just(1, scheduler: $0).asObservable()
    }
    source("PrimitiveSequence.empty()", "|") { _ in Maybe<Int>.empty().asObservable() }
    source("PrimitiveSequence.error(_:)", "x") { _ in
      Single.error(TestError.any).asObservable()
    }
    source("PrimitiveSequence.never()", "") { _ in Single.never().asObservable() }
    source("PrimitiveSequence.deferred(_:)", "1 |") { _ in
      Single.deferred { .just(1) }.asObservable()
    }
    source("PrimitiveSequence.using(_:primitiveSequenceFactory:)", "1 |") { _ in
      Single.using({ SerialDisposable() }, primitiveSequenceFactory: { _ in .just(1) })
        .asObservable()
    }
    source("PrimitiveSequence.timer(_:scheduler:)", "0 |") {
      Single.timer(.seconds(10), scheduler: $0).asObservable()
    }
  }

  private mutating func addSingles() {
    one("asSingle()", "1 |") { $0.take(1).asSingle().asObservable() }
    single("PrimitiveSequence.map(_:)", "2 |") { single, _ in single.map { $0 + 1 } }
    single("PrimitiveSequence.flatMap(_:)", "1 |") { single, _ in single.flatMap { .just($0) } }
    single("PrimitiveSequence.observe(on:)", "1 |") { $0.observe(on: $1) }
    single("PrimitiveSequence.subscribe(on:)", "1 |", .disposesInTurn) { $0.subscribe(on: $1) }
    single("PrimitiveSequence.delay(_:scheduler:)", "1 |") { $0.delay(.seconds(5), scheduler: $1) }
    single("PrimitiveSequence.catch(_:)", "1 |", .handlesErrors) { single, _ in
      single.catch { _ in .just(7) }
    }
    single("PrimitiveSequence.catchAndReturn(_:)", "1 |", .handlesErrors) { single, _ in
      single.catchAndReturn(7)
    }
    single("PrimitiveSequence.retry()", "1 |", [.handlesErrors, .retriesForever]) { single, _ in
      single.retry()
    }
    single("PrimitiveSequence.retry(_:)", "1 |", .handlesErrors) { single, _ in single.retry(2) }
    single("PrimitiveSequence.retry(_:scheduler:if:random:)", "1 |", .handlesErrors) {
      $0.retry(.fixed(.seconds(5), maxAttempts: 1), scheduler: $1)
    }
    single(
      "Single.do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)",
      "1 |"
    ) { single, _ in
      single.do(onSuccess: { _ in }, afterSuccess: { _ in }, onError: { _ in }, onDispose: {})
    }
    single("PrimitiveSequence.retry(when:)", "1 |", [.handlesErrors, .retriesForever]) {
      single, _ in single.retry { (errors: Observable<any Error>) in errors }
    }
    single("PrimitiveSequence.retry(when:)", "1 |", .handlesErrors) { single, _ in
      single.retry { (errors: Observable<TestError>) in errors.take(1) }
    }
    single("PrimitiveSequence.delaySubscription(_:scheduler:)", "2 |") {
      $0.delaySubscription(.seconds(5), scheduler: $1)
    }
    single("PrimitiveSequence.timeout(_:scheduler:)", "1 |") {
      $0.timeout(.seconds(5), scheduler: $1)
    }
    single("PrimitiveSequence.timeout(_:other:scheduler:)", "1 |") {
      $0.timeout(.seconds(5), other: .just(7), scheduler: $1)
    }
    two("PrimitiveSequence.zip(_:)", "12 |") {
      Single.zip([$0.take(1).asSingle(), $1.take(1).asSingle()]).map { $0[0] + $0[1] }
        .asObservable()
    }
    two("PrimitiveSequence.zip(_:resultSelector:)", "12 |") {
      Single.zip([$0.take(1).asSingle(), $1.take(1).asSingle()]) { $0[0] + $0[1] }.asObservable()
    }
    two("PrimitiveSequence.zip(_:_:)", "12 |") {
      Single.zip($0.take(1).asSingle(), $1.take(1).asSingle()).map { $0 + $1 }.asObservable()
    }
    two("PrimitiveSequence.zip(_:_:resultSelector:)", "12 |") {
      Single.zip($0.take(1).asSingle(), $1.take(1).asSingle()) { $0 + $1 }.asObservable()
    }
  }

  /// An operator of singles, applied to a single of the source's first element.
  private mutating func single(
    _ name: String,
    _ emits: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Single<Int>, any SchedulerType) -> Single<Int>
  ) {
    timed(name, emits, traits) { build($0.take(1).asSingle(), $1).asObservable() }
  }

  private mutating func addMaybes() {
    one("asMaybe()", "1 |") { $0.take(1).asMaybe().asObservable() }
    one("Single.asMaybe()", "1 |") { $0.take(1).asSingle().asMaybe().asObservable() }
    one("Maybe.ifEmpty(default:)", "7 |") {
      $0.take(1).asMaybe().filter { _ in false }.ifEmpty(default: 7).asObservable()
    }
    one("Maybe.ifEmpty(switchTo:)", "7 |") {
      $0.take(1).asMaybe().filter { _ in false }.ifEmpty(switchTo: Maybe.just(7)).asObservable()
    }
    one("Maybe.ifEmpty(switchTo:)", "7 |") {
      $0.take(1).asMaybe().filter { _ in false }.ifEmpty(switchTo: Single.just(7)).asObservable()
    }
    one("Single.flatMapMaybe(_:)", "1 |") {
      $0.take(1).asSingle().flatMapMaybe { .just($0) }.asObservable()
    }
    one("PrimitiveSequence.compactMap(_:)", "|") {
      $0.take(1).asSingle().compactMap { _ in Int?.none }.asObservable()
    }
    one("PrimitiveSequence.filter(_:)", "|") {
      $0.take(1).asMaybe().filter { $0 > 1 }.asObservable()
    }
    one(
      "PrimitiveSequence.do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:"
        + "onSubscribe:onSubscribed:onDispose:)",
      "1 |"
    ) { $0.take(1).asMaybe().do(onNext: { _ in }, onCompleted: {}, onDispose: {}).asObservable() }
  }

  private mutating func addCompletables() {
    one("asCompletable()", "|") { none($0.ignoreElements().asCompletable()) }
    one("Single.asCompletable()", "|") { none($0.take(1).asSingle().asCompletable()) }
    one("Single.flatMapCompletable(_:)", "|") {
      none($0.take(1).asSingle().flatMapCompletable { _ in .empty() })
    }
    one("Completable.andThen(_:)", "7 8 |") {
      $0.ignoreElements().asCompletable().andThen(Observable.of(7, 8))
    }
    one("Completable.andThen(_:)", "7 |") {
      $0.ignoreElements().asCompletable().andThen(Single.just(7)).asObservable()
    }
    completables("Completable.andThen(_:)", .dependsOnEnd) { $0.andThen($1) }
    completables("Completable.concat(_:)", .dependsOnEnd) { $0.concat($1) }
    completables("Completable.concat(_:)", .dependsOnEnd) { .concat($0, $1) }
    completables("Completable.concat(_:)", .dependsOnEnd) { .concat([$0, $1]) }
    completables("Completable.zip(_:)") { .zip($0, $1) }
    completables("Completable.zip(_:)") { .zip([$0, $1]) }
  }

  private mutating func completables(
    _ name: String,
    _ traits: Row.Traits = [],
    _ build: @escaping @Sendable (Completable, Completable) -> Completable
  ) {
    two(name, "|", traits) {
      none(build($0.ignoreElements().asCompletable(), $1.ignoreElements().asCompletable()))
    }
  }
}
