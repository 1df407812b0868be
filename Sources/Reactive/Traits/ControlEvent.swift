/// A type that can be turned into a control event.
public protocol ControlEventType: ObservableType {
  /// Returns the control event.
  func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as taps or scrolling.
///
/// The subscription happens on the main queue: at once if called there, otherwise as queued
/// work. The author of a control event ensures that `events` delivers on the main queue, emits
/// nothing upon subscription, never fails, and completes when the control is released.
public struct ControlEvent<PropertyType>: ControlEventType {
  /// The type of the elements.
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// Creates a control event of `events`, which must meet the conditions above.
  public init<Events: ObservableType>(events: Events) where Events.Element == PropertyType {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Subscribes `observer` on the main queue.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType { events.subscribe(observer) }

  /// Returns an observable of the events.
  public func asObservable() -> Observable<PropertyType> { events }

  /// Returns this control event.
  public func asControlEvent() -> Self { self }
}

// Immutable, like the observable it wraps.
extension ControlEvent: @unchecked Sendable {}

extension ControlEventType {
  /// Returns a driver; an error goes to `Hooks.defaultErrorHandler` and completes the driver.
  public func asDriver() -> Driver<Element> { reportingErrors() }

  /// Returns a signal; an error goes to `Hooks.defaultErrorHandler` and completes the signal.
  public func asSignal() -> Signal<Element> { reportingErrors() }

  /// Returns an infallible; an error goes to `Hooks.defaultErrorHandler` and completes it.
  public func asInfallible() -> Infallible<Element> { reportingErrors() }
}
