// The operators of drivers, signals, infallibles and whatever else is shared: those of observables,
// with closures that cannot throw. What an operator makes is shared again.

extension SharedSequenceConvertibleType {
  /// What a sequence of this kind is called when its elements are `Result`.
  public typealias Shared<Result> = SharedSequence<SharingStrategy, Result>

  // MARK: Transforming

  /// What `selector` makes of each element.
  @preconcurrency @inlinable public func map<Result>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> Shared<Result> { Shared(source.map(selector)) }

  /// What `selector` makes of each element, less the nils.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> Shared<Result> { Shared(source.compactMap(selector)) }

  /// What `accumulator` makes of each element and its own result before, beginning with `seed`.
  @preconcurrency @inlinable public func scan<Result>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
  ) -> Shared<Result> { Shared(source.scan(seed, accumulator: accumulator)) }

  /// The value that `accumulator` changes with each element, beginning with `seed`.
  @preconcurrency @inlinable public func scan<Result>(
    into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
  ) -> Shared<Result> { Shared(source.scan(into: seed, accumulator: accumulator)) }

  /// `element` first, then the elements of this sequence.
  @inlinable public func startWith(_ element: Element) -> Shared<Element> {
    Shared(source.startWith(element))
  }

  // MARK: Filtering

  /// The elements for which `predicate` returns true.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) -> Bool)
    -> Shared<Element>
  { Shared(source.filter(predicate)) }

  /// The elements whose key differs from the key before, as `comparer` sees it.
  @preconcurrency @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping @Sendable (Element) -> Key,
    comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(keySelector, comparer: comparer)) }

  /// The elements whose key differs from the key before.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(keySelector)) }

  /// The elements that differ from the element before, as `comparer` sees it.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(comparer)) }

  /// The elements whose property at `keyPath` differs from that of the element before.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property> & Sendable
  ) -> Shared<Element> { Shared(source.distinctUntilChanged(at: keyPath)) }

  /// The first `count` elements, then completion.
  @inlinable public func take(_ count: Int) -> Shared<Element> { Shared(source.take(count)) }

  /// The elements until `other` emits its first, then completion.
  @inlinable public func take<Source: SharedSequenceConvertibleType>(until other: Source)
    -> Shared<Element> where Source.SharingStrategy == SharingStrategy
  { Shared(source.take(until: other.source)) }

  /// The elements until one for which `predicate` returns true; with `.inclusive` that one too.
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Shared<Element> { Shared(source.take(until: predicate, behavior: behavior)) }

  /// The elements while `predicate` returns true; with `.inclusive` the next one too.
  @preconcurrency @inlinable public func take(
    while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Shared<Element> { Shared(source.take(while: predicate, behavior: behavior)) }

  /// The elements from the first on for which `predicate` returns false.
  @preconcurrency @inlinable public func skip(
    while predicate: @escaping @Sendable (Element) -> Bool
  ) -> Shared<Element> { Shared(source.skip(while: predicate)) }

  /// The elements after the first one of `other`.
  @inlinable public func skip<Source: SharedSequenceConvertibleType>(until other: Source)
    -> Shared<Element> where Source.SharingStrategy == SharingStrategy
  { Shared(source.skip(until: other.source)) }

  /// All but the first `count` elements.
  @inlinable public func skip(_ count: Int) -> Shared<Element> { Shared(source.skip(count)) }

  // MARK: Sequences of sequences

  /// The elements of the sequences that `selector` makes of each element, as they come.
  @preconcurrency @inlinable public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMap(selector)) }

  /// The elements of the sequence that `selector` made of the latest element.
  @preconcurrency @inlinable public func flatMapLatest<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMapLatest(selector)) }

  /// The elements of the sequence that `selector` makes of an element; those that come while it runs
  /// are dropped.
  @preconcurrency @inlinable public func flatMapFirst<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.flatMapFirst(selector)) }

  /// The elements of the sequences that `selector` makes of each element, one sequence after the
  /// other.
  @preconcurrency @inlinable public func concatMap<Result>(
    _ selector: @escaping @Sendable (Element) -> Shared<Result>
  ) -> Shared<Result> { Shared(source.concatMap(selector)) }

  /// The elements of all `sources`, as they come.
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources) -> Shared<Element>
  where Sources.Element == Shared<Element> { Shared(.merge(sources.map(\.source))) }

  /// The elements of all `sources`, as they come.
  @inlinable public static func merge(_ sources: Shared<Element>...) -> Shared<Element> {
    merge(sources)
  }

  /// The elements of all of `sequence`, one after the other.
  @inlinable public static func concat<Sources: Sequence>(_ sequence: Sources) -> Shared<Element>
  where Sources.Element == Shared<Element> { Shared(.concat(sequence.map(\.source))) }

  /// The elements of all `sources`, one after the other.
  @inlinable public static func concat(_ sources: Shared<Element>...) -> Shared<Element> {
    concat(sources)
  }

  /// The elements of this sequence and then those of `second`.
  @inlinable public func concat<Source: SharedSequenceConvertibleType>(_ second: Source)
    -> Shared<Element> where Source.Element == Element, Source.SharingStrategy == SharingStrategy
  {
    Shared(source.concat(second.source))
  }

  /// What `resultSelector` makes of each element and the latest of `second`.
  @preconcurrency @inlinable
  public func withLatestFrom<Second: SharedSequenceConvertibleType, Result>(
    _ second: Second, resultSelector: @escaping @Sendable (Element, Second.Element) -> Result
  ) -> Shared<Result> {
    Shared(source.withLatestFrom(second.source, resultSelector: resultSelector))
  }

  /// The latest of `second` each time this emits.
  @inlinable public func withLatestFrom<Second: SharedSequenceConvertibleType>(_ second: Second)
    -> Shared<Second.Element>
  { Shared(source.withLatestFrom(second.source)) }

  /// What `resultSelector` makes of `obj`, which is held weakly, and each element; completes with the
  /// first element after its release.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable, Result>(
    _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
  ) -> Shared<Result> { Shared(source.withUnretained(obj) { resultSelector($0, $1) }) }

  /// `obj`, which is held weakly, and each element as a tuple; completes as above.
  ///
  /// A driver does not keep the tuple to replay it, for it would keep the object.
  @inlinable public func withUnretained<Object: AnyObject & Sendable>(_ obj: Object)
    -> Shared<(Object, Element)>
  { Shared(raw: source.withUnretained(obj)) }

  // MARK: Time, by the strategy's scheduler

  /// An element once the sequence has been quiet for `dueTime` after it.
  public func debounce(_ dueTime: RxTimeInterval) -> Shared<Element> {
    Shared(source.debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// At most one element in every `dueTime`, as `throttle` of an observable.
  public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true) -> Shared<Element> {
    let scheduler = SharingStrategy.scheduler
    return Shared(source.throttle(dueTime, latest: latest, scheduler: scheduler))
  }

  /// Everything `dueTime` later.
  public func delay(_ dueTime: RxTimeInterval) -> Shared<Element> {
    Shared(source.delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  // MARK: Watching

  /// Calls closures beside the sequence, which passes unchanged, as `do` of an observable.
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

  /// Prints the events, as `debug` of an observable.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Shared<Element> {
    Shared(
      source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// The elements that differ from the element before.
  @inlinable public func distinctUntilChanged() -> Shared<Element> {
    Shared(source.distinctUntilChanged())
  }
}

// MARK: - Sequences of two kinds

extension SharedSequenceConvertibleType {
  /// The elements of the sequences that `selector` makes of each element, as they come; of their kind.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMap<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> { SharedSequence(source.flatMap(selector), in: Self.self) }

  /// The elements of the sequence that `selector` made of the latest element; of its kind.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMapLatest<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapLatest(selector), in: Self.self)
  }

  /// The elements of the sequence that `selector` makes of an element, of its kind; those that come while it runs
  /// are dropped.
  @_disfavoredOverload @preconcurrency @inlinable public func flatMapFirst<Strategy, Result>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapFirst(selector), in: Self.self)
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// The elements of the latest sequence; of its kind.
  @inlinable public func switchLatest() -> Element.Shared<Element.Element> {
    SharedSequence(source.switchLatest(), in: Self.self)
  }

  /// The elements of all sequences, as they come; of their kind.
  @inlinable public func merge() -> Element.Shared<Element.Element> {
    SharedSequence(source.merge(), in: Self.self)
  }

  /// The elements of all sequences, as they come, of `maxConcurrent` at a time at most; of their kind.
  @inlinable public func merge(maxConcurrent: Int) -> Element.Shared<Element.Element> {
    SharedSequence(source.merge(maxConcurrent: maxConcurrent), in: Self.self)
  }
}

extension SharedSequence {
  /// A sequence of what sequences of this kind bring that are elements of one of another kind: its end arrives where
  /// that delivers, which for an infallible may be anywhere.
  @inlinable init<Outer: SharedSequenceConvertibleType>(
    _ source: Observable<Element>, in outer: Outer.Type
  ) {
    let isElsewhere = Outer.SharingStrategy.self == InfallibleStrategy.self && !Self.isInPlace
    self.init(isElsewhere ? source.observe(on: SharingStrategy.scheduler) : source)
  }
}
