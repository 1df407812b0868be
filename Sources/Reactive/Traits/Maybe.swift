/// The promise of `Maybe`: one element, none, or an error.
public enum MaybeTrait: ElementTrait, CompletionTrait {}

/// One element, none, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// How a maybe ends.
@frozen public enum MaybeEvent<Element> {
  /// With an element.
  case success(Element)
  /// With an error.
  case error(any Error)
  /// Without an element.
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
  /// Equal kinds with equal elements; errors are equal when their descriptions are.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.event == rhs.event }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Receives how a maybe ends.
  public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

  /// Subscribes closures, of which one is called, on the thread where the maybe ends.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onCompleted` is called when
  /// there is no element, and `onDisposed` once, when the subscription has ended or was disposed of.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let onError = onError ?? Hooks.unhandled
    return primitiveSequence.start(
      onSuccess ?? { _ in }, { if let error = $0 { onError(error) } else { onCompleted?() } },
      onDisposed)
  }

  /// Subscribes closures that receive `object`, which is held weakly: once it is released, nothing is
  /// called.
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

  /// `default` when there is no element.
  @inlinable public func ifEmpty(default: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(default: `default`))
  }

  /// Continues with `other` when there is no element.
  @inlinable public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Continues with `other` when there is no element.
  @inlinable public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }
}

extension ObservableType {
  /// The only element of the source, if there is one, when that has completed.
  ///
  /// Fails with `RxError.moreThanOneElement` as soon as there is a second.
  @inlinable public func asMaybe() -> Maybe<Element> { Maybe(raw: only(orEnd: nil)) }
}
