/// An observable with a promise about its end.
///
/// `Trait` is the promise: see `Single`, `Maybe` and `Completable`.
public struct PrimitiveSequence<Trait, Element>: PrimitiveSequenceType, ObservableConvertibleType,
  Sendable
{
  @usableFromInline let source: Observable<Element>

  @inlinable init(raw source: Observable<Element>) { self.source = source }

  /// This sequence.
  @inlinable public var primitiveSequence: Self { self }

  /// Returns an observable of the same events.
  @inlinable public func asObservable() -> Observable<Element> { source }
}

/// The protocol on which the operators of singles, maybes and completables are defined.
public protocol PrimitiveSequenceType<Trait, Element> {
  /// The promise of the sequence.
  associatedtype Trait
  /// The type of the elements.
  associatedtype Element

  /// The sequence itself.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

// MARK: - Operators of all traits

// Functions that make a sequence extend the struct and not the protocol: in a context that accepts
// an observable as well, `.just(1)` is then a primitive sequence.
extension PrimitiveSequence {
  /// Fails with `error` at once.
  @inlinable public static func error(_ error: any Error) -> Self { Self(raw: .error(error)) }

  /// Emits nothing and never ends.
  @inlinable public static func never() -> Self { Self(raw: .never()) }

  /// Subscribes each observer to a new result of `observableFactory`.
  ///
  /// An error that `observableFactory` throws ends the result.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Self
  ) -> Self { Self(raw: .deferred { try observableFactory().source }) }

  /// Makes a resource for each observer, which is disposed of after the subscription.
  @preconcurrency @inlinable public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> Self
  ) -> Self { Self(raw: .using(resourceFactory) { try primitiveSequenceFactory($0).source }) }

  /// Delivers `dueTime` later, on `scheduler`; an error passes at once.
  @inlinable public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Subscribes `dueTime` later, on `scheduler`.
  @inlinable public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Self
  { Self(raw: source.delaySubscription(dueTime, scheduler: scheduler)) }

  /// Delivers on `scheduler`.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.observe(on: scheduler))
  }

  /// Subscribes to the source, and disposes of it, on `scheduler`.
  @inlinable public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.subscribe(on: scheduler))
  }

  /// Continues with the sequence that `handler` makes of an error.
  @preconcurrency @inlinable public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Self
  ) -> Self { Self(raw: source.catch { try handler($0).source }) }

  /// Subscribes again after each error, without a limit.
  @inlinable public func retry() -> Self { Self(raw: source.retry()) }

  /// Subscribes at most `maxAttemptCount` times in total; the last error passes.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Self {
    Self(raw: source.retry(maxAttemptCount))
  }

  /// Subscribes again after each error, on `scheduler`, when the delay of `backoff` has passed.
  ///
  /// The last error passes after the last attempt, and an error that is not transient at once.
  @preconcurrency @inlinable public func retry(
    _ backoff: Backoff, scheduler: any SchedulerType,
    if isTransient: @escaping @Sendable (any Error) -> Bool = { _ in true },
    random: @escaping @Sendable () -> Double = { HostRandomNumberGenerator.unit() }
  ) -> Self {
    Self(raw: source.retry(backoff, scheduler: scheduler, if: isTransient, random: random))
  }

  /// Subscribes again after an error each time that `notificationHandler`'s observable emits.
  ///
  /// The end of that observable ends the result. An error of another type than `Error` passes.
  @preconcurrency @inlinable public func retry<Trigger: ObservableType, Error: Swift.Error>(
    when notificationHandler: @escaping @Sendable (Observable<Error>) -> Trigger
  ) -> Self { Self(raw: source.retry(when: notificationHandler)) }

  /// Subscribes again after an error each time that `notificationHandler`'s observable emits.
  @preconcurrency @inlinable public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Self { Self(raw: source.retry(when: notificationHandler)) }

  /// Fails with `RxError.timeout`, on `scheduler`, when no event arrives within `dueTime`.
  @inlinable public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// Continues with `other`, on `scheduler`, when no event arrives within `dueTime`.
  @inlinable public func timeout(
    _ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType
  ) -> Self { Self(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler)) }

  /// Prints the events, as `debug` of an observable does.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Self {
    Self(
      raw: source.debug(
        identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension PrimitiveSequence where Element: RxAbstractInteger {
  /// Emits zero after `dueTime`, on `scheduler`.
  @inlinable public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Self
  { Self(raw: .timer(dueTime, scheduler: scheduler)) }
}

// MARK: - Operators of singles and maybes

/// The protocol of traits that permit an element: those of singles and maybes.
public protocol ElementTrait {}

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// Emits the result of `transform` for the element; an error that it throws is the end.
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(raw: primitiveSequence.source.map(transform))
  }

  /// Emits the result of `transform` for the element, except nil.
  ///
  /// An error that `transform` throws ends the result.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Maybe<Result> { Maybe<Result>(raw: primitiveSequence.source.compactMap(transform)) }

  /// Emits the element if `predicate` returns true for it; an error that it throws is the end.
  @preconcurrency @inlinable public func filter(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Maybe<Element> { Maybe(raw: primitiveSequence.source.filter(predicate)) }

  /// Continues with the sequence that `selector` makes of the element.
  ///
  /// An error that `selector` throws ends the result.
  @preconcurrency @inlinable public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(raw: primitiveSequence.source.flatMap(selector))
  }

  /// Emits `element` and completes instead of failing.
  @inlinable public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: primitiveSequence.source.catchAndReturn(element))
  }
}

extension PrimitiveSequence where Trait: ElementTrait {
  /// Emits `element` at once.
  @inlinable public static func just(_ element: Element) -> Self { Self(raw: .just(element)) }

  /// Emits `element` on `scheduler`.
  @inlinable public static func just(_ element: Element, scheduler: any ImmediateSchedulerType)
    -> Self
  { Self(raw: .just(element, scheduler: scheduler)) }

  /// Emits the result of `resultSelector` for the elements of all sequences.
  ///
  /// The first error, or one that `resultSelector` throws, ends the result.
  @preconcurrency @inlinable public static func zip<First, each Other>(
    _ first: PrimitiveSequence<Trait, First>, _ others: repeat PrimitiveSequence<Trait, each Other>,
    resultSelector: @escaping @Sendable (First, repeat each Other) throws -> Element
  ) -> Self {
    Self(
      raw: Observable.combining { state in
        let (first, others) = (state.queue(first), (repeat state.queue(each others)))
        return { try resultSelector(first(), repeat (each others)()) }
      })
  }

  /// Emits the elements of all sequences as a tuple.
  @inlinable public static func zip<First, each Other>(
    _ first: PrimitiveSequence<Trait, First>, _ others: repeat PrimitiveSequence<Trait, each Other>
  ) -> Self where Element == (First, repeat each Other) {
    zip(first, repeat each others) { (first: First, others: repeat each Other) in
      (first, repeat each others)
    }
  }

  /// Emits the result of `resultSelector` for the elements of all sequences in order.
  ///
  /// For an empty collection it emits the result for no elements. The first error, or one that
  /// `resultSelector` throws, ends the result.
  @preconcurrency @inlinable public static func zip<Sources: Collection<Self>, Result>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(
      raw: collection.isEmpty
        ? .deferred { .just(try resultSelector([])) }
        : .zip(collection.map(\.source), resultSelector: resultSelector))
  }

  /// Emits the elements of all sequences of `collection` as an array, in the collection's order.
  @inlinable public static func zip<Sources: Collection<Self>>(_ collection: Sources)
    -> PrimitiveSequence<Trait, [Element]>
  { zip(collection) { $0 } }
}

// MARK: - Operators of maybes and completables

/// The protocol of traits that permit a completion without an element: maybes and completables.
public protocol CompletionTrait {}

extension PrimitiveSequence where Trait: CompletionTrait {
  /// Returns a sequence that runs `subscribe` for each observer.
  ///
  /// The observer may be called on any thread; its first call ends the sequence. The disposable
  /// that `subscribe` returns is disposed of when the subscription ends.
  @preconcurrency @inlinable public static func create(
    subscribe:
      @escaping @Sendable (@escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable
  ) -> Self { Self(raw: .handMade { source in subscribe { source.last($0.event) } }) }

  /// Completes at once, without an element.
  @inlinable public static func empty() -> Self { Self(raw: .empty()) }
}

extension PrimitiveSequenceType where Trait: CompletionTrait {
  /// Subscribes `observer`, which is called once, on the thread on which the sequence ends.
  @preconcurrency @inlinable public func subscribe(
    _ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void
  ) -> any Disposable {
    primitiveSequence.start(
      { observer(.success($0)) }, { observer($0.map { .error($0) } ?? .completed) })
  }

  /// Calls closures at the events of the sequence, as `do` of an observable; events pass unchanged.
  ///
  /// `onCompleted` is called after an element too.
  @preconcurrency @inlinable public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: primitiveSequence.source.do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
        onSubscribed: onSubscribed, onDispose: onDispose))
  }
}

// MARK: - Ends

extension PrimitiveSequence {
  /// Subscribes closures, one of which is called: `success` for the element, or `end` without one.
  ///
  /// `disposed` is called right after that, or on disposal.
  @inlinable func start(
    _ success: @escaping (Element) -> Void, _ end: @escaping ((any Error)?) -> Void,
    _ disposed: (() -> Void)? = nil
  ) -> any Disposable {
    let disposal = disposed.map { ActionDisposable($0) }
    let isOver = Ref(false)
    let once: (() -> Void) -> Void = { body in
      if isOver.value { return }
      isOver.value = true
      body()
      disposal?.dispose()
    }
    return source.start(
      Sink(
        next: { element in once { success(element) } }, end: { error in once { end(error) } },
        disposed: { disposal?.dispose() }))
  }
}

extension ObservableType {
  /// Emits the only element of the source when the source completes.
  ///
  /// A second element ends the result with `RxError.moreThanOneElement`.
  ///
  /// - Parameter endWithoutElement: error of the end when the source has no element; nil for a
  ///   completion
  @inlinable func soleElement(orEnd endWithoutElement: (any Error)?) -> Observable<Element> {
    stateful(from: nil as Element?) { down, sole, element in
      if sole.value != nil { return down.end(RxError.moreThanOneElement) }
      sole.value = element
    } complete: { down, sole in
      if let sole { down.last(sole) } else { down.end(endWithoutElement) }
    }
  }
}
