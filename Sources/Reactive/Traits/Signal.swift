/// The strategy of `Signal`: the main queue, and nothing replayed.
public struct SignalSharingStrategy: SharingStrategyProtocol {
  /// The main queue, unless a test replaced it.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// One subscription while somebody observes.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source.share(replay: 0, scope: .whileConnected) }
}

/// Events for a user interface: cannot fail, delivers on the main queue, and replays nothing.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>

extension ObservableConvertibleType {
  /// A signal that emits `onErrorJustReturn` and completes where this fails.
  @inlinable public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// A signal that goes on with `onErrorSignalWith` where this fails.
  @inlinable public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSharedSequence(onErrorDriveWith: onErrorSignalWith)
  }

  /// A signal that goes on with what `onErrorRecover` makes of the error where this fails.
  @preconcurrency @inlinable public func asSignal(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Signal<Element>
  ) -> Signal<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// A signal of this relay's elements.
  @inlinable public func asSignal() -> Signal<Element> { reportingErrors() }
}

extension SharedSequence where SharingStrategy == SignalSharingStrategy {
  /// Itself.
  @inlinable public func asSignal() -> Signal<Element> { self }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// Calls closures on the main actor; without any it only keeps the sequence running.
  ///
  /// Called off the main queue, it subscribes there in the queue's turn.
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

  /// Sends everything to `observers`.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends everything to `observers` of optional elements.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element { startOnMain(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? { startOnMain(Sink(accept: relays) { $0 }) }
}
