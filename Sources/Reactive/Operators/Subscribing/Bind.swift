/// The protocol on which `bind` is defined: observables and infallibles conform.
public protocol BindableType<Element>: ObservableConvertibleType {}

extension BindableType {
  /// Sends all events to `observers`.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element { asObservable().start(Sink(to: observers) { $0 }) }

  /// Sends all events to `observers` of optional elements.
  @inlinable public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? { asObservable().start(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  ///
  /// Relays cannot end, so an error is a programmer error: it goes to `Hooks.defaultErrorHandler`.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element { asObservable().start(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? { asObservable().start(Sink(accept: relays) { $0 }) }

  /// Calls `binder` with this sequence, and returns the result.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Calls `binder` with this sequence, and its result with `curriedArgument`.
  @inlinable public func bind<Argument, Result>(
    to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result { binder(self)(curriedArgument) }

  /// Calls `onNext` with every element, on the thread on which the element arrives.
  ///
  /// An error goes to `Hooks.defaultErrorHandler`.
  @preconcurrency @inlinable public func bind(onNext: @escaping @Sendable (Element) -> Void)
    -> any Disposable
  { asObservable().subscribe(onNext: onNext) }

  /// Calls `onNext` with `object`, which is held weakly, and every element.
  ///
  /// An error goes to `Hooks.defaultErrorHandler`, also after the release of `object`.
  @preconcurrency @inlinable public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable { bind { [weak object] in if let object { onNext(object, $0) } } }
}

extension Sink {
  /// Creates a sink that sends all events to `observers`, with elements converted by `wrap`.
  @inlinable convenience init<Observer: ObserverType>(
    to observers: [Observer], _ wrap: @escaping (Element) -> Observer.Element
  ) {
    let observers = observers.map { AnyObserver($0) }
    self.init(
      next: { element in for observer in observers { observer.onNext(wrap(element)) } },
      end: { error in for observer in observers { observer.on(.end(error)) } })
  }

  /// Creates a sink that sends every element, converted by `wrap`, to `relays`.
  @inlinable convenience init<Relay: RelayType>(
    accept relays: [Relay], _ wrap: @escaping (Element) -> Relay.Element
  ) {
    self.init(
      next: { element in for relay in relays { relay.accept(wrap(element)) } },
      end: Hooks.makeReportingEnd()
    )
  }
}
