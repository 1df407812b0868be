extension ObservableType {
  /// Subscribes `on`, which is called with each event.
  @preconcurrency @inlinable public func subscribe(
    _ on: @escaping @Sendable (Event<Element>) -> Void
  ) -> any Disposable { asObservable().start(Sink(next: { on(.next($0)) }, end: { on(.end($0)) })) }

  /// Subscribes closures, each called on the thread on which the event arrives.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called
  /// once, when the subscription has ended or is disposed of.
  @preconcurrency @inlinable public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    guard let onNext, onError == nil, onCompleted == nil, onDisposed == nil else {
      let onError = onError ?? Hooks.makeReportingEnd()
      let end: ((any Error)?) -> Void = { error in
        guard let error else { return onCompleted?() ?? () }
        onError(error)
      }
      return asObservable().start(Sink(next: onNext ?? { _ in }, end: end, disposed: onDisposed))
    }
    return asObservable().start(Sink(next: onNext, end: Hooks.makeReportingEnd()))
  }

  /// Subscribes closures that receive `object`, which is held weakly.
  ///
  /// No closure is called once `object` is released.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: weakly(object, onNext), onError: weakly(object, onError),
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }
}

/// Returns a closure that calls `body` with `object`, which is held weakly; nil without a body.
@inlinable func weakly<Object: AnyObject & Sendable, Value>(
  _ object: Object, _ body: (@Sendable (Object, Value) -> Void)?
) -> (@Sendable (Value) -> Void)? {
  guard let body else { return nil }
  return { [weak object] value in if let object { body(object, value) } }
}
