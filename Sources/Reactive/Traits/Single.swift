/// The trait of `Single`: one element, or an error.
public enum SingleTrait: ElementTrait {}

/// A sequence of one element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// The end of a single: its element or its error.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequence where Trait == SingleTrait {
  /// Returns a single that runs `subscribe` for each observer.
  ///
  /// The observer may be called on any thread; its first call ends the single. The disposable that
  /// `subscribe` returns is disposed of when the subscription ends.
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
  /// Receives the end of a single.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// Subscribes `observer`, which is called once, on the thread on which the single ends.
  ///
  /// A single without an element, like that of `retry(0)`, fails with `RxError.noElements`.
  @preconcurrency @inlinable public func subscribe(_ observer: @escaping SingleObserver)
    -> any Disposable
  {
    primitiveSequence.start(
      { observer(.success($0)) }, { observer(.failure($0 ?? RxError.noElements)) })
  }

  /// Subscribes closures, which are called on the thread on which the single ends.
  ///
  /// An error without an `onFailure` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called
  /// once, when the subscription has ended or is disposed of.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Error) -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let onFailure = onFailure ?? Hooks.makeReportingEnd()
    return primitiveSequence.start(
      onSuccess ?? { _ in }, { onFailure($0 ?? RxError.noElements) }, onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly.
  ///
  /// No closure is called once `object` is released.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    asMaybe().subscribe(
      with: object, onSuccess: onSuccess, onError: onFailure,
      onCompleted: { onFailure?($0, RxError.noElements) }, onDisposed: onDisposed)
  }

  /// Calls closures at the events of the single, as `do` of an observable; the events pass
  /// unchanged.
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

  /// Continues with the maybe that `selector` makes of the element.
  ///
  /// An error that `selector` throws ends the result.
  @preconcurrency @inlinable public func flatMapMaybe<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> { Maybe<Result>(raw: primitiveSequence.source.flatMap(selector)) }

  /// Continues with the completable that `selector` makes of the element.
  ///
  /// An error that `selector` throws ends the result.
  @preconcurrency @inlinable public func flatMapCompletable(
    _ selector: @escaping @Sendable (Element) throws -> Completable
  ) -> Completable { Completable(raw: primitiveSequence.source.flatMap(selector)) }

  /// Returns a maybe of the same element.
  @inlinable public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.source) }

  /// Returns a completable with the same end and without the element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }
}

extension ObservableType {
  /// Returns a single of the source's only element, which it emits when the source completes.
  ///
  /// Fails with `RxError.noElements` when the source completes without an element, and with
  /// `RxError.moreThanOneElement` at the second element.
  @inlinable public func asSingle() -> Single<Element> {
    Single(raw: soleElement(orEnd: RxError.noElements))
  }
}
