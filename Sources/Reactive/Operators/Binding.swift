/// What `bind` is defined on: observables and infallibles.
public protocol BindableType<Element>: ObservableConvertibleType {}

extension BindableType {
  /// Sends everything to `observers`.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element { asObservable().start(Sink(to: observers) { $0 }) }

  /// Sends everything to `observers` of optional elements.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? { asObservable().start(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  ///
  /// An error is a programmer's mistake, for relays cannot end: it goes to
  /// `Hooks.defaultErrorHandler`.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element { asObservable().start(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? { asObservable().start(Sink(accept: relays) { $0 }) }

  /// Gives this sequence to `binder`, which returns what it makes of it.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Gives this sequence to `binder`, and what that makes of it `curriedArgument`.
  @inlinable public func bind<Argument, Result>(
    to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result { binder(self)(curriedArgument) }

  /// Calls `onNext` with every element, on the thread where it arrives.
  ///
  /// An error goes to `Hooks.defaultErrorHandler`.
  @preconcurrency @inlinable public func bind(onNext: @escaping @Sendable (Element) -> Void)
    -> any Disposable
  { asObservable().subscribe(onNext: onNext) }

  /// Calls `onNext` with every element and `object`, which is held weakly.
  ///
  /// An error goes to `Hooks.defaultErrorHandler`, with or without the object.
  @preconcurrency @inlinable public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable { bind { [weak object] in if let object { onNext(object, $0) } } }
}

extension Sink {
  /// Sends everything to `observers`, elements as `wrap` makes them.
  @inlinable convenience init<Observer: ObserverType>(
    to observers: [Observer], _ wrap: @escaping (Element) -> Observer.Element
  ) {
    let observers = observers.map { AnyObserver($0) }
    self.init(
      next: { element in for observer in observers { observer.onNext(wrap(element)) } },
      end: { error in for observer in observers { observer.on(.end(error)) } })
  }

  /// Sends every element to `relays`, as `wrap` makes it.
  @inlinable convenience init<Relay: RelayType>(
    accept relays: [Relay], _ wrap: @escaping (Element) -> Relay.Element
  ) {
    self.init(
      next: { element in for relay in relays { relay.accept(wrap(element)) } }, end: Hooks.unhandled
    )
  }
}
