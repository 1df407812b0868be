import Reactive

/// A value with a virtual time: when an observer recorded it, or when a testable observable emits it.
///
/// ```swift
/// #expect(observer.events == [.next(210, 1), .completed(250)])
/// ```
public struct Recorded<Value> {
  /// The time, in ticks; relative to the subscription in the events of a cold observable.
  public let time: TestTime
  /// The recorded value, most often an event.
  public let value: Value

  /// Creates a record of `value` at `time`.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Sendable where Value: Sendable {}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
  /// `next(1) @ 210`.
  public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
  /// An element at `time`.
  public static func next<Element>(
    _ time: TestTime,
    _ element: Element
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .next(element))
  }

  /// A completion at `time`.
  ///
  /// Pass `type` where the element type cannot be inferred.
  public static func completed<Element>(
    _ time: TestTime,
    _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// An error at `time`.
  ///
  /// Pass `type` where the element type cannot be inferred.
  public static func error<Element>(
    _ time: TestTime,
    _ error: any Error,
    _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }

  /// The given events as an array, as in RxTest.
  public static func events<Element>(
    _ recordedEvents: Recorded<Event<Element>>...
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }

  /// The given events as an array, as in RxTest.
  public static func events<Element>(
    _ recordedEvents: [Recorded<Event<Element>>]
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }
}
