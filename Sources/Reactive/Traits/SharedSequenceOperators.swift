// The operators of drivers, signals, infallibles and other shared sequences. They are those of
// observables, with closures that cannot throw. The result of an operator is shared again.

extension SharedSequenceConvertibleType {
  /// A sequence of this kind with elements of type `Result`.
  public typealias Shared<Result> = SharedSequence<SharingStrategy, Result>

  // MARK: Transforming

  /// Emits the result of `selector` for each element.
  @preconcurrency @inlinable public func map<Result>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> Shared<Result> { Shared(source.map(selector)) }

  /// Emits the result of `selector` for each element, except nil.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> Shared<Result> { Shared(source.compactMap(selector)) }

  /// Emits the result of `accumulator` for the previous result, at first `seed`, and each element.
  @preconcurrency @inlinable public func scan<Result>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
  ) -> Shared<Result> { Shared(source.scan(seed, accumulator: accumulator)) }

  /// Emits a value, at first `seed`, after each change that `accumulator` makes for an element.
  @preconcurrency @inlinable public func scan<Result>(
    into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
  ) -> Shared<Result> { Shared(source.scan(into: seed, accumulator: accumulator)) }

  /// Emits `element` first, then the elements of this sequence.
  @inlinable public func startWith(_ element: Element) -> Shared<Element> {
    Shared(source.startWith(element))
  }

  // MARK: Filtering

  /// Emits the elements for which `predicate` returns true.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) -> Bool)
    -> Shared<Element>
  { Shared(source.filter(predicate)) }

  /// Emits the elements whose key differs from the previous element's; `comparer` compares keys.
  @preconcurrency @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping @Sendable (Element) -> Key,
    comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(keySelector, comparer: comparer)) }

  /// Emits the elements whose key differs from the previous element's.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(keySelector)) }

  /// Emits the elements that differ from the previous element; `comparer` compares them.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(comparer)) }

  /// Emits the elements whose property at `keyPath` differs from the previous element's.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property> & Sendable
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(at: keyPath)) }

  /// Emits the first `count` elements, then completes.
  @inlinable public func take(_ count: Int) -> Shared<Element> { Shared(source.take(count)) }

  /// Emits the elements until `other` emits, then completes.
  @inlinable public func take<Source: SharedSequenceConvertibleType>(until other: Source)
    -> Shared<Element> where Source.SharingStrategy == SharingStrategy
  { Shared(source.take(until: other.source)) }

  /// Emits the elements until `predicate` returns true; with `.inclusive` that element too.
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Shared<Element> { Shared(source.take(until: predicate, behavior: behavior)) }

  /// Emits the elements while `predicate` returns true; with `.inclusive` the next element too.
  @preconcurrency @inlinable public func take(
    while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Shared<Element> { Shared(source.take(while: predicate, behavior: behavior)) }

  /// Emits all elements from the first one on for which `predicate` returns false.
  @preconcurrency @inlinable public func skip(
    while predicate: @escaping @Sendable (Element) -> Bool
  ) -> Shared<Element> { Shared(source.skip(while: predicate)) }

  /// Emits the elements that follow the first element of `other`.
  @inlinable public func skip<Source: SharedSequenceConvertibleType>(until other: Source)
    -> Shared<Element> where Source.SharingStrategy == SharingStrategy
  { Shared(source.skip(until: other.source)) }

  /// Emits all elements except the first `count`.
  @inlinable public func skip(_ count: Int) -> Shared<Element> { Shared(source.skip(count)) }

  // MARK: Sequences of sequences

  /// Emits the elements of all sequences made by `selector`, in the order in which they arrive.
  @preconcurrency @inlinable public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMap(selector)) }

  /// Emits the elements of the sequence that `selector` made of the latest element.
  @preconcurrency @inlinable public func flatMapLatest<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMapLatest(selector)) }

  /// Emits the elements of the sequence that `selector` makes of an element.
  ///
  /// Elements that arrive while that sequence runs are dropped.
  @preconcurrency @inlinable public func flatMapFirst<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMapFirst(selector)) }

  /// Emits the elements of the sequences made by `selector`, one sequence after the other.
  @preconcurrency @inlinable public func concatMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.concatMap(selector)) }

  /// Emits the elements of all `sources` in the order in which they arrive.
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources) -> Shared<Element>
  where Sources.Element == Shared<Element> { Shared(.merge(sources.map(\.source))) }

  /// Emits the elements of all `sources` in the order in which they arrive.
  @inlinable public static func merge(_ sources: Shared<Element>...) -> Shared<Element> {
    merge(sources)
  }

  /// Emits the elements of all sequences of `sequence`, one sequence after the other.
  @inlinable public static func concat<Sources: Sequence>(_ sequence: Sources) -> Shared<Element>
  where Sources.Element == Shared<Element> { Shared(.concat(sequence.map(\.source))) }

  /// Emits the elements of all `sources`, one sequence after the other.
  @inlinable public static func concat(_ sources: Shared<Element>...) -> Shared<Element> {
    concat(sources)
  }

  /// Emits the elements of this sequence and then those of `second`.
  @inlinable public func concat<Source: SharedSequenceConvertibleType>(_ second: Source)
    -> Shared<Element> where Source.Element == Element, Source.SharingStrategy == SharingStrategy
  {
    Shared(source.concat(second.source))
  }

  /// Emits the result of `resultSelector` for each element and the latest element of `second`.
  @preconcurrency @inlinable
  public func withLatestFrom<Second: SharedSequenceConvertibleType, Result>(
    _ second: Second, resultSelector: @escaping @Sendable (Element, Second.Element) -> Result
  ) -> Shared<Result> {
    Shared(source.withLatestFrom(second.source, resultSelector: resultSelector))
  }

  /// Emits the latest element of `second` each time this sequence emits.
  @inlinable public func withLatestFrom<Second: SharedSequenceConvertibleType>(_ second: Second)
    -> Shared<Second.Element>
  { Shared(source.withLatestFrom(second.source)) }

  /// Emits the result of `resultSelector` for `obj`, which is held weakly, and each element.
  ///
  /// Completes at the first element after the release of `obj`.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable, Result>(
    _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Shared<Result> { Shared(source.withUnretained(obj) { resultSelector($0, $1) }) }

  /// Emits `obj`, which is held weakly, and each element as a tuple.
  ///
  /// Completes at the first element after the release of `obj`. A driver does not keep the tuple
  /// for a replay, because the tuple would keep the object alive.
  @inlinable public func withUnretained<Object: AnyObject & Sendable>(_ obj: Object)
    -> Shared<(Object, Element)>
  { Shared(raw: source.withUnretained(obj)) }

  // MARK: Time, on the strategy's scheduler

  /// Emits an element once the sequence has emitted nothing for `dueTime` after it.
  public func debounce(_ dueTime: RxTimeInterval) -> Shared<Element> {
    Shared(source.debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// Emits at most one element in every `dueTime`, as `throttle` of an observable does.
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true) -> Shared<Element> {
    let scheduler = SharingStrategy.scheduler
    return Shared(source.throttle(dueTime, latest: latest, scheduler: scheduler))
  }

  /// Delivers each event `dueTime` later.
  public func delay(_ dueTime: RxTimeInterval) -> Shared<Element> {
    Shared(source.delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  // MARK: Observation

  /// Calls closures at the events of the sequence, as `do` of an observable; events pass unchanged.
  @preconcurrency @inlinable public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil, afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Shared<Element> {
    Shared(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Prints the events, as `debug` of an observable does.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Shared<Element> {
    Shared(
      source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// Emits the elements that differ from the previous element.
  @inlinable public func distinctUntilChanged() -> Shared<Element> {
    Shared(source.distinctUntilChanged())
  }
}

// MARK: - Sequences of two kinds

extension SharedSequenceConvertibleType {
  /// Emits the elements of all sequences made by `selector`, as a sequence of their kind.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMap<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> { SharedSequence(source.flatMap(selector), in: Self.self) }

  /// Emits the elements of the latest sequence made by `selector`, as a sequence of its kind.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMapLatest<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapLatest(selector), in: Self.self)
  }

  /// Emits the elements of the sequence that `selector` makes of an element, as one of its kind.
  ///
  /// Elements that arrive while that sequence runs are dropped.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMapFirst<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapFirst(selector), in: Self.self)
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// Emits the elements of the latest sequence, as a sequence of its kind.
  @inlinable public func switchLatest() -> Element.Shared<Element.Element> {
    SharedSequence(source.switchLatest(), in: Self.self)
  }

  /// Emits the elements of all sequences in the order in which they arrive, as one of their kind.
  @inlinable public func merge() -> Element.Shared<Element.Element> {
    SharedSequence(source.merge(), in: Self.self)
  }

  /// Emits the elements of all sequences, as one of their kind.
  ///
  /// At most `maxConcurrent` sequences run at a time.
  @inlinable public func merge(maxConcurrent: Int) -> Element.Shared<Element.Element> {
    SharedSequence(source.merge(maxConcurrent: maxConcurrent), in: Self.self)
  }
}

extension SharedSequence {
  /// Creates a sequence of the elements of inner sequences, where the outer one is of another kind.
  ///
  /// The end of the outer sequence arrives on its own thread. For an infallible that may be any
  /// thread, so all events are then delivered on this strategy's scheduler.
  @inlinable init<Outer: SharedSequenceConvertibleType>(
    _ source: Observable<Element>, in outer: Outer.Type
  ) {
    let isElsewhere = Outer.SharingStrategy.self == InfallibleStrategy.self && !Self.isInPlace
    self.init(isElsewhere ? source.observe(on: SharingStrategy.scheduler) : source)
  }
}
