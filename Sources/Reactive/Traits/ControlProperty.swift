/// What all control properties are.
public protocol ControlPropertyType: ObservableType, ObserverType {
  /// The control property.
  func asControlProperty() -> ControlProperty<Element>
}

/// A property of a control that its user may change: the text of a field.
///
/// It emits the value it has and each one that the user sets, not what the program does. It is
/// subscribed on the main queue: at once when called there, otherwise in the queue's turn. Whoever
/// makes one promises that `values` delivers on the main queue, never fails, and completes when the
/// control is released.
public struct ControlProperty<PropertyType>: ControlPropertyType {
  /// What its elements are.
  public typealias Element = PropertyType

  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// A property that emits `values`, which keep the promises above, and hands what it is bound to
  /// `valueSink`.
  public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
  where Values.Element == PropertyType, Sink.Element == PropertyType {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
    self.valueSink = valueSink.asObserver()
  }

  /// Subscribes `observer`.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == PropertyType { values.subscribe(observer) }

  /// This property's values as an observable.
  public func asObservable() -> Observable<PropertyType> { values }

  /// Itself.
  public func asControlProperty() -> Self { self }

  /// All values but the first: those that the user set.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: values.skip(1)) }

  /// Sets the property; an error is a programmer's mistake and goes to `Hooks.defaultErrorHandler`.
  public func on(_ event: Event<PropertyType>) {
    if let error = event.error { Hooks.report(error) } else { valueSink.on(event) }
  }
}

// Immutable; the sink is called where it is bound.
extension ControlProperty: @unchecked Sendable where PropertyType: Sendable {}

extension ControlPropertyType {
  /// A driver of this property; an error goes to `Hooks.defaultErrorHandler` and completes it.
  public func asDriver() -> Driver<Element> { reportingErrors() }
}

extension ControlPropertyType where Element == String? {
  /// The same property with an empty text in the place of nil.
  public var orEmpty: ControlProperty<String> {
    let property = asControlProperty()
    return ControlProperty(
      values: property.map { $0 ?? "" }, valueSink: property.mapObserver { $0 })
  }
}
