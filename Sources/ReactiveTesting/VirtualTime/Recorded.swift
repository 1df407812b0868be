import Reactive

/// Something, and the virtual time at which it happened.
///
/// ```swift
/// #expect(observer.events == [.next(210, 1), .completed(250)])
/// ```
public struct Recorded<Value> {
  /// When it happened.
  public let time: TestTime
  /// What happened.
  public let value: Value

  /// `value` at `time`.
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

  /// A completion at `time`; `type` says of what, where that cannot be inferred.
  public static func completed<Element>(
    _ time: TestTime,
    _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// An error at `time`; `type` says of what, where that cannot be inferred.
  public static func error<Element>(
    _ time: TestTime,
    _ error: any Error,
    _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }

  /// The given events as an array.
  public static func events<Element>(
    _ recordedEvents: Recorded<Event<Element>>...
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }

  /// The given events as an array.
  public static func events<Element>(
    _ recordedEvents: [Recorded<Event<Element>>]
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> {
    recordedEvents
  }
}
