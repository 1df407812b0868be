/// The trait of `Maybe`: one element, none, or an error.
public enum MaybeTrait: ElementTrait, CompletionTrait {}

/// A sequence of at most one element, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// The end of a maybe.
@frozen public enum MaybeEvent<Element> {
  /// The maybe has an element.
  case success(Element)
  /// The maybe failed.
  case error(any Error)
  /// The maybe completed without an element.
  case completed

  @inlinable var event: Event<Element> {
    switch self {
    case .success(let element): .next(element)
    case .error(let error): .error(error)
    case .completed: .completed
    }
  }
}

extension MaybeEvent: Sendable where Element: Sendable {}

extension MaybeEvent: Equatable where Element: Equatable {
  /// Returns whether both are of one kind and equal; errors are equal when their descriptions are.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.event == rhs.event }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Receives the end of a maybe.
  public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

  /// Subscribes closures, one of which is called on the thread on which the maybe ends.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onCompleted` is called
  /// when there is no element. `onDisposed` is called once, when the subscription has ended or is
  /// disposed of.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let onError = onError ?? Hooks.makeReportingEnd()
    return primitiveSequence.start(
      onSuccess ?? { _ in }, { if let error = $0 { onError(error) } else { onCompleted?() } },
      onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly.
  ///
  /// No closure is called once `object` is released.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: weakly(object, onSuccess), onError: weakly(object, onError),
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }

  /// Returns a single that emits `default` where this maybe completes without an element.
  @inlinable public func ifEmpty(default: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(default: `default`))
  }

  /// Continues with `other` when this maybe completes without an element.
  @inlinable public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Continues with `other` when this maybe completes without an element.
  @inlinable public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }
}

extension ObservableType {
  /// Returns a maybe of the source's only element, if any.
  ///
  /// It emits the element when the source completes.
  ///
  /// Fails with `RxError.moreThanOneElement` at the second element.
  @inlinable public func asMaybe() -> Maybe<Element> { Maybe(raw: soleElement(orEnd: nil)) }
}
