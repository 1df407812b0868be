/// What all control events are.
public protocol ControlEventType: ObservableType {
  /// The control event.
  func asControlEvent() -> ControlEvent<Element>
}

/// What happens to a control: a tap, a scroll.
///
/// It is subscribed on the main queue: at once when called there, otherwise in the queue's turn.
/// Whoever makes one promises that `events` delivers on the main queue, emits nothing just because it
/// is subscribed, never fails, and completes when the control is released.
public struct ControlEvent<PropertyType>: ControlEventType {
  /// What its elements are.
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// A control event of `events`, which keep the promises above.
  public init<Events: ObservableType>(events: Events) where Events.Element == PropertyType {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Subscribes `observer`.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType { events.subscribe(observer) }

  /// This event as an observable.
  public func asObservable() -> Observable<PropertyType> { events }

  /// Itself.
  public func asControlEvent() -> Self { self }
}

// Immutable, like the observable it wraps.
extension ControlEvent: @unchecked Sendable {}

extension ControlEventType {
  /// A driver of this event; an error goes to `Hooks.defaultErrorHandler` and completes it.
  public func asDriver() -> Driver<Element> { reportingErrors() }

  /// A signal of this event; an error goes to `Hooks.defaultErrorHandler` and completes it.
  public func asSignal() -> Signal<Element> { reportingErrors() }

  /// An infallible of this event; an error goes to `Hooks.defaultErrorHandler` and completes it.
  public func asInfallible() -> Infallible<Element> { reportingErrors() }
}
