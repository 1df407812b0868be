extension ObservableType {
  /// Subscribes `on`, called with each event.
  @preconcurrency @inlinable public func subscribe(
    _ on: @escaping @Sendable (Event<Element>) -> Void
  ) -> any Disposable { asObservable().start(Sink(next: { on(.next($0)) }, end: { on(.end($0)) })) }

  /// Subscribes closures, each called on the thread where the event arrives.
  ///
  /// An error without an `onError` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called once,
  /// when the subscription has ended or was disposed of.
  @preconcurrency @inlinable public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let end: ((any Error)?) -> Void = { error in
      if let error {
        if let onError { onError(error) } else { Hooks.defaultErrorHandler([], error) }
      } else {
        onCompleted?()
      }
    }
    return asObservable().start(Sink(next: onNext ?? { _ in }, end: end, disposed: onDisposed))
  }

  /// Subscribes closures that receive `object`, which is held weakly: once it is released, nothing is
  /// called.
  @preconcurrency @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: { [weak object] element in if let object { onNext?(object, element) } },
      onError: { [weak object] error in if let object { onError?(object, error) } },
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }
}

// MARK: - Binding

extension ObservableType {
  /// Sends everything to `observers`.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    let observers = observers.map { AnyObserver($0) }
    return asObservable().start(
      Sink(
        next: { element in for observer in observers { observer.onNext(element) } },
        end: { error in for observer in observers { observer.on(.end(error)) } }))
  }

  /// Sends everything to `observers` of optional elements.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    let observers = observers.map { AnyObserver($0) }
    return asObservable().start(
      Sink(
        next: { element in for observer in observers { observer.onNext(element) } },
        end: { error in for observer in observers { observer.on(.end(error)) } }))
  }

  /// Sends every element to `relays`.
  ///
  /// An error is a programmer's mistake, for relays cannot end: it goes to
  /// `Hooks.defaultErrorHandler`.
  @inlinable public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
    bindElements { element in for relay in relays { relay.accept(element) } }
  }

  /// Sends every element to `relays` of optional elements.
  @inlinable public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
    bindElements { element in for relay in relays { relay.accept(element) } }
  }

  /// Sends every element to `relays`.
  ///
  /// An error is a programmer's mistake, for relays cannot end: it goes to
  /// `Hooks.defaultErrorHandler`.
  @inlinable public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
    bindElements { element in for relay in relays { relay.accept(element) } }
  }

  /// Sends every element to `relays` of optional elements.
  @inlinable public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
    bindElements { element in for relay in relays { relay.accept(element) } }
  }

  /// Gives this observable to `binder`, which returns what it makes of it.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Calls `onNext` with every element, on the thread where it arrives.
  @preconcurrency @inlinable public func bind(onNext: @escaping @Sendable (Element) -> Void)
    -> any Disposable
  { bindElements(onNext) }

  /// Calls `onNext` with every element and `object`, which is held weakly.
  @preconcurrency @inlinable public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    bindElements { [weak object] element in if let object { onNext(object, element) } }
  }

  @inlinable func bindElements(_ next: @escaping (Element) -> Void) -> any Disposable {
    asObservable().start(
      Sink(next: next, end: { if let error = $0 { Hooks.defaultErrorHandler([], error) } }))
  }
}
