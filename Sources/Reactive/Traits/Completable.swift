/// The promise of `Completable`: completion or an error, and no element.
public enum CompletableTrait: CompletionTrait {}

/// Completion or an error, and no element.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// How a completable ends: `completed` or `error`; there is nothing to be a `success`.
public typealias CompletableEvent = MaybeEvent<Never>

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Receives how a completable ends.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// Subscribes closures, called on the thread where the completable ends.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called once,
  /// when the subscription has ended or was disposed of.
  @preconcurrency @inlinable public func subscribe(
    onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    maybe.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly: once it is released, nothing is
  /// called.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onCompleted: (@Sendable (Object) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    maybe.subscribe(
      with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  @inlinable var maybe: Maybe<Never> { Maybe(raw: primitiveSequence.source) }

  /// What `second` emits, which is subscribed once this has completed; an error ends it before.
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

  /// The single or maybe `second`, subscribed once this has completed; an error ends it before.
  @inlinable public func andThen<Next, Result>(_ second: PrimitiveSequence<Next, Result>)
    -> PrimitiveSequence<Next, Result>
  { PrimitiveSequence(raw: andThen(second.source)) }

  /// Completes when `second` has, which is subscribed once this has completed.
  @inlinable public func andThen(_ second: Completable) -> Completable {
    Completable(raw: andThen(second.source))
  }

  /// Completes when `second` has, which is subscribed once this has completed.
  @inlinable public func concat(_ second: Completable) -> Completable { andThen(second) }

  /// Completes when all of `sequence` have, which run one after the other; the first error ends it.
  @inlinable public static func concat<Sources: Sequence<Completable>>(_ sequence: Sources)
    -> Completable
  { Completable(raw: .concat(sequence.lazy.map(\.source))) }

  /// Completes when all `sources` have, which run one after the other; the first error ends it.
  @inlinable public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

  /// Completes when all of `sources` have, which run side by side; the first error ends it.
  @inlinable public static func zip<Sources: Collection<Completable>>(_ sources: Sources)
    -> Completable
  { Completable(raw: .merge(sources.map(\.source))) }

  /// Completes when all `sources` have, which run side by side; the first error ends it.
  @inlinable public static func zip(_ sources: Completable...) -> Completable { zip(sources) }
}

extension ObservableType where Element == Never {
  /// This observable as a completable.
  @inlinable public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}
