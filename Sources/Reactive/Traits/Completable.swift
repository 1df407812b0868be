/// The trait of `Completable`: completion or an error, and no element.
public enum CompletableTrait: CompletionTrait {}

/// A sequence without elements, which completes or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The end of a completable: `completed` or `error`; `success` cannot occur without an element.
public typealias CompletableEvent = MaybeEvent<Never>

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Receives the end of a completable.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// Subscribes closures, which are called on the thread on which the completable ends.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called
  /// once, when the subscription has ended or is disposed of.
  @preconcurrency @inlinable public func subscribe(
    onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    maybe.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly.
  ///
  /// No closure is called once `object` is released.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onCompleted: (@Sendable (Object) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    maybe.subscribe(
      with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  @inlinable var maybe: Maybe<Never> { Maybe(raw: primitiveSequence.source) }

  /// Subscribes to `second` when this completes, and emits its elements; an error passes at once.
  ///
  ///     source  ---|
  ///     second     -a-b-|
  ///     andThen ----a-b-|
  @inlinable public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
    let first = primitiveSequence.source
    return Observable { down in
      down.lifetime.run(
        first.run, next: { _ in }, end: { $0 == nil ? second.start(down) : down.end($0) })
    }
  }

  /// Subscribes to the single or maybe `second` when this completes; an error passes at once.
  @inlinable public func andThen<Next, Result>(_ second: PrimitiveSequence<Next, Result>)
    -> PrimitiveSequence<Next, Result>
  { PrimitiveSequence(raw: andThen(second.source)) }

  /// Subscribes to `second` when this completes, and completes with it; an error passes at once.
  @inlinable public func andThen(_ second: Completable) -> Completable {
    Completable(raw: andThen(second.source))
  }

  /// Subscribes to `second` when this completes, and completes with it; an error passes at once.
  @inlinable public func concat(_ second: Completable) -> Completable { andThen(second) }

  /// Runs the completables of `sequence` one after the other; the first error ends the result.
  @inlinable public static func concat<Sources: Sequence<Completable>>(_ sequence: Sources)
    -> Completable
  { Completable(raw: .concat(sequence.lazy.map(\.source))) }

  /// Runs `sources` one after the other; the first error ends the result.
  @inlinable public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

  /// Runs all `sources` at once, and completes when all have completed.
  ///
  /// The first error ends the result.
  @inlinable public static func zip<Sources: Collection<Completable>>(_ sources: Sources)
    -> Completable
  { Completable(raw: .merge(sources.map(\.source))) }

  /// Runs all `sources` at once, and completes when all have completed.
  ///
  /// The first error ends the result.
  @inlinable public static func zip(_ sources: Completable...) -> Completable { zip(sources) }
}

extension ObservableType where Element == Never {
  /// Returns a completable with the same end.
  @inlinable public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}
