/// A type that can be turned into a control property.
public protocol ControlPropertyType: ObservableType, ObserverType {
  /// Returns the control property.
  func asControlProperty() -> ControlProperty<Element>
}

/// A property of a control that its user may change, such as the text of a field.
///
/// It emits the current value and each value that the user sets, but not the program's changes. The
/// subscription happens on the main queue: at once if called there, otherwise as queued work.
/// The author of a control property ensures that `values` delivers on the main queue, never fails,
/// and completes when the control is released.
public struct ControlProperty<PropertyType>: ControlPropertyType {
  /// The type of the values.
  public typealias Element = PropertyType

  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// Creates a property that emits `values` and sends the values that it receives to `valueSink`.
  ///
  /// `values` must meet the conditions above.
  public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
  where Values.Element == PropertyType, Sink.Element == PropertyType {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
    self.valueSink = valueSink.asObserver()
  }

  /// Subscribes `observer` on the main queue.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType { values.subscribe(observer) }

  /// Returns an observable of the values.
  public func asObservable() -> Observable<PropertyType> { values }

  /// Returns this control property.
  public func asControlProperty() -> Self { self }

  /// All values except the first: those that the user sets.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: values.skip(1)) }

  /// Sets the property; an error is a programmer error and goes to `Hooks.defaultErrorHandler`.
  public func on(_ event: Event<PropertyType>) {
    if let error = event.error { Hooks.report(error) } else { valueSink.on(event) }
  }
}

// Immutable; the thread that sends to the property calls the sink.
extension ControlProperty: @unchecked Sendable where PropertyType: Sendable {}

extension ControlPropertyType {
  /// Returns a driver; an error goes to `Hooks.defaultErrorHandler` and completes the driver.
  public func asDriver() -> Driver<Element> { reportingErrors() }
}

extension ControlPropertyType where Element == String? {
  /// The same property with an empty text in place of nil.
  public var orEmpty: ControlProperty<String> {
    let property = asControlProperty()
    return ControlProperty(
      values: property.map { $0 ?? "" }, valueSink: property.mapObserver { $0 })
  }
}
