/// The strategy of `Signal`: delivery on the main queue, and no replay.
public struct SignalSharingStrategy: SharingStrategyProtocol {
  /// The main queue's scheduler, unless a test replaced it.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// Shares one subscription while there are observers.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source.share(replay: 0, scope: .whileConnected) }
}

/// Events for a user interface: cannot fail, delivers on the main queue, and replays nothing.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>

extension ObservableConvertibleType {
  /// Returns a signal that emits `onErrorJustReturn` and completes where this sequence fails.
  @inlinable public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// Returns a signal that continues with `onErrorSignalWith` where this sequence fails.
  @inlinable public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSharedSequence(onErrorDriveWith: onErrorSignalWith)
  }

  /// Returns a signal that continues with the result of `onErrorRecover` where this sequence fails.
  @preconcurrency @inlinable public func asSignal(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Signal<Element>
  ) -> Signal<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// Returns a signal of this relay's elements.
  @inlinable public func asSignal() -> Signal<Element> { reportingErrors() }
}

extension SharedSequence where SharingStrategy == SignalSharingStrategy {
  /// Returns this signal.
  @inlinable public func asSignal() -> Signal<Element> { self }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// Calls closures on the main actor; without closures it only keeps the sequence running.
  ///
  /// A call off the main queue subscribes on it, as queued work.
  @preconcurrency public func emit(
    onNext: (@MainActor (Element) -> Void)? = nil, onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable { startOnMain(onNext, onCompleted, onDisposed) }

  /// Calls closures with `object`, which is held weakly, on the main actor.
  @preconcurrency public func emit<Object: AnyObject>(
    with object: Object, onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable { startOnMain(with: object, onNext, onCompleted, onDisposed) }

  /// Sends all events to `observers`.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends all events to `observers` of optional elements.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element { startOnMain(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? { startOnMain(Sink(accept: relays) { $0 }) }
}
