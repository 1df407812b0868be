/// An event that an observable sends to its observer.
///
/// The grammar is `next* (error | completed)?`: any number of elements, then at most one terminal,
/// and no event after the terminal.
@frozen public enum Event<Element> {
  /// One element.
  case next(Element)
  /// The error that ended the sequence.
  case error(any Error)
  /// The sequence has ended without an error.
  case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event {
  /// Whether this event ends the sequence.
  @inlinable public var isStopEvent: Bool { if case .next = self { false } else { true } }

  /// Whether this is `completed`.
  @inlinable public var isCompleted: Bool { if case .completed = self { true } else { false } }

  /// The element of a `next` event; nil for the other events.
  @inlinable public var element: Element? {
    if case .next(let element) = self { element } else { nil }
  }

  /// The error of an `error` event; nil for the other events.
  @inlinable public var error: (any Error)? {
    if case .error(let error) = self { error } else { nil }
  }

  /// Returns the event with a transformed element; a throwing `transform` makes it an `error`.
  @inlinable public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
    do {
      switch self {
      case .next(let element): return .next(try transform(element))
      case .error(let error): return .error(error)
      case .completed: return .completed
      }
    } catch { return .error(error) }
  }

  /// Returns the terminal event for an operator's `end` argument: nil is `completed`.
  @inlinable package static func end(_ error: (any Error)?) -> Event {
    if let error { .error(error) } else { .completed }
  }
}

extension Event: Equatable where Element: Equatable {
  /// Returns whether both are of one kind and equal; errors are equal when their descriptions are.
  public static func == (lhs: Event, rhs: Event) -> Bool {
    switch (lhs, rhs) {
    case (.next(let lhs), .next(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): "\(lhs)" == "\(rhs)"
    case (.completed, .completed): true
    default: false
    }
  }
}

extension Event: CustomDebugStringConvertible {
  /// A description: `next(...)`, `error(...)` or `completed`.
  public var debugDescription: String {
    switch self {
    case .next(let element): "next(\(element))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}

/// A value that represents an event; `dematerialize()` accepts elements of this type.
public protocol EventConvertible<Element> {
  /// The type of the event's element.
  associatedtype Element

  /// The represented event.
  var event: Event<Element> { get }
}

extension Event: EventConvertible {
  /// The event itself; an event represents itself, so that `dematerialize()` accepts it.
  @inlinable public var event: Event { self }
}
