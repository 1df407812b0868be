/// The promise of `Single`: one element, or an error.
public enum SingleTrait: ElementTrait {}

/// One element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// How a single ends.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequence where Trait == SingleTrait {
  /// A single that runs `subscribe` for each observer.
  ///
  /// The observer may be called from any thread; its first call is the end. What `subscribe` returns
  /// is disposed of when the subscription ends.
  @preconcurrency @inlinable public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Self {
    Self(
      raw: .handMade { source in
        subscribe { event in source.last(Event.next(event).map { try $0.get() }) }
      })
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Receives how a single ends.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// Subscribes `observer`, called once with how it ends, on the thread where it does.
  ///
  /// A single without an element, as `retry(0)` makes one, fails with `RxError.noElements`.
  @preconcurrency @inlinable public func subscribe(_ observer: @escaping SingleObserver)
    -> any Disposable
  {
    primitiveSequence.start(
      { observer(.success($0)) }, { observer(.failure($0 ?? RxError.noElements)) })
  }

  /// Subscribes closures, called on the thread where the single ends.
  ///
  /// An error without an `onFailure` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called once,
  /// when the subscription has ended or was disposed of.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Error) -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let onFailure = onFailure ?? Hooks.unhandled
    return primitiveSequence.start(
      onSuccess ?? { _ in }, { onFailure($0 ?? RxError.noElements) }, onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly: once it is released, nothing is
  /// called.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    asMaybe().subscribe(
      with: object, onSuccess: onSuccess, onError: onFailure,
      onCompleted: { onFailure?($0, RxError.noElements) }, onDisposed: onDisposed)
  }

  /// Calls closures beside the single, which passes unchanged, as `do` of an observable does.
  @preconcurrency @inlinable public func `do`(
    onSuccess: (@Sendable (Element) throws -> Void)? = nil,
    afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Single<Element> {
    Single(
      raw: primitiveSequence.source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// The maybe that `selector` makes of the element; an error it throws is the end.
  @preconcurrency @inlinable public func flatMapMaybe<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> { Maybe<Result>(raw: primitiveSequence.source.flatMap(selector)) }

  /// The completable that `selector` makes of the element; an error it throws is the end.
  @preconcurrency @inlinable public func flatMapCompletable(
    _ selector: @escaping @Sendable (Element) throws -> Completable
  ) -> Completable { Completable(raw: primitiveSequence.source.flatMap(selector)) }

  /// This single as a maybe.
  @inlinable public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.source) }

  /// The end without the element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }
}

extension ObservableType {
  /// The only element of the source, when that has completed.
  ///
  /// Fails with `RxError.noElements` when there is none and with `RxError.moreThanOneElement` as soon
  /// as there is a second.
  @inlinable public func asSingle() -> Single<Element> {
    Single(raw: only(orEnd: RxError.noElements))
  }
}
