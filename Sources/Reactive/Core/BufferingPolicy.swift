/// The limit of a buffer before a slow consumer, and the treatment of elements that exceed it.
///
/// `observe(on:buffer:)` and `values(buffer:)` have a parameter of this type.
public enum BufferingPolicy: Sendable, Equatable {
  /// The buffer has no limit, and no element is dropped.
  case unbounded
  /// The buffer holds at most this number of elements; a number below one counts as one.
  ///
  /// The element that is being delivered is not counted.
  case bounded(Int, Overflow)

  /// A new element replaces the buffered one: `.bounded(1, .dropOldest)`.
  public static let latest = BufferingPolicy.bounded(1, .dropOldest)

  /// The treatment of an element that arrives while the buffer is full.
  public enum Overflow: Sendable {
    /// The element is added, and the oldest buffered element is dropped.
    case dropOldest
    /// The element is dropped, and the buffered elements stay.
    case dropNewest
    /// The source is disposed of; a ``BufferOverflowError`` follows the buffered elements.
    case fail
    /// The source pauses until half of the buffered elements are taken; nothing is dropped.
    ///
    /// This requires a source that makes elements on demand: `from`, `of`, `range`, `generate`,
    /// `repeatElement`, an async sequence, the messages of a WebSocket, or another buffer.
    /// Operators may follow the source, but not `share`, a subject or `create`. A source that
    /// cannot be suspended, like a subject or a timer, is never blocked: its elements are buffered
    /// beyond the limit, as with `unbounded`. Choose another policy for such a source.
    case suspend
  }
}

/// The failure of a full buffer whose policy is `BufferingPolicy.Overflow.fail`.
///
/// Choose a larger `limit` or a policy that drops elements, or send fewer elements to the buffer
/// with `throttle`, `debounce` or `sample`.
public struct BufferOverflowError: Error, Equatable {
  /// The number of elements in the full buffer.
  public let limit: Int

  /// Creates the error of a buffer of `limit` elements.
  public init(limit: Int) { self.limit = limit }
}

extension BufferOverflowError: CustomStringConvertible {
  /// A sentence with the limit of the buffer.
  public var description: String { "An element arrived while \(limit) waited in a full buffer." }
}
