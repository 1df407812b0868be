/// What an observable tells its observer.
///
/// The grammar is `next* (error | completed)?`: any number of elements, then at most one terminal,
/// then silence.
@frozen public enum Event<Element> {
  /// The next element.
  case next(Element)
  /// The sequence failed and has ended.
  case error(any Error)
  /// The sequence has ended.
  case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event {
  /// Whether this event ends the sequence.
  @inlinable public var isStopEvent: Bool { if case .next = self { false } else { true } }

  /// Whether this is `completed`.
  @inlinable public var isCompleted: Bool { if case .completed = self { true } else { false } }

  /// The element of a `next` event.
  @inlinable public var element: Element? {
    if case .next(let element) = self { element } else { nil }
  }

  /// The error of an `error` event.
  @inlinable public var error: (any Error)? {
    if case .error(let error) = self { error } else { nil }
  }

  /// The same event with its element transformed; a throwing `transform` makes it an `error`.
  @inlinable public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
    do {
      switch self {
      case .next(let element): return .next(try transform(element))
      case .error(let error): return .error(error)
      case .completed: return .completed
      }
    } catch { return .error(error) }
  }

  /// The terminal event for what the operators pass inside: nil is `completed`.
  @inlinable package static func end(_ error: (any Error)?) -> Event {
    if let error { .error(error) } else { .completed }
  }
}

extension Event: Equatable where Element: Equatable {
  /// Equal kinds with equal elements; errors are equal when their descriptions are.
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
  /// `next(...)`, `error(...)` or `completed`.
  public var debugDescription: String {
    switch self {
    case .next(let element): "next(\(element))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}

/// Something that stands for an event: what `dematerialize()` takes.
public protocol EventConvertible<Element> {
  /// What the event's element is.
  associatedtype Element

  /// The event.
  var event: Event<Element> { get }
}

extension Event: EventConvertible {
  /// Itself.
  @inlinable public var event: Event { self }
}
