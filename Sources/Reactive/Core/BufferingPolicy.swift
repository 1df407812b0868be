/// How many elements may wait for a consumer that is slower than its source, and what happens when one more arrives.
///
/// `observe(on:buffer:)` and `values(buffer:)` take one.
public enum BufferingPolicy: Sendable, Equatable {
  /// Any number of elements waits, and none is dropped.
  case unbounded
  /// At most so many elements wait; a number below one counts as one. The element that is being delivered does not
  /// wait any more, and is not counted.
  case bounded(Int, Overflow)

  /// The newest element replaces the one that waits: `.bounded(1, .dropOldest)`.
  public static let latest = BufferingPolicy.bounded(1, .dropOldest)

  /// What happens to an element that arrives while the buffer is full.
  public enum Overflow: Sendable {
    /// It is added, and the element that has waited longest is dropped.
    case dropOldest
    /// It is dropped; the elements that wait stay.
    case dropNewest
    /// The source is disposed of, and the result fails with a ``BufferOverflowError`` behind the elements that wait.
    case fail
    /// The source makes no more elements until half of those that wait are taken; nothing is dropped.
    ///
    /// That is for a source that makes elements when it is asked: `from`, `of`, `range`, `generate`, `repeatElement`,
    /// an async sequence, the messages of a WebSocket, another buffer; also behind operators, but not through `share`,
    /// subjects and `create`. What cannot be suspended, like a subject or a timer, is never blocked: its
    /// elements wait beyond the limit, as with `unbounded`. Choose another policy for it.
    case suspend
  }
}

/// More elements arrived than a buffer takes, whose policy is `BufferingPolicy.Overflow.fail`.
///
/// Choose a larger `limit`, a policy that drops elements, or fewer elements before the buffer: `throttle`, `debounce`,
/// `sample`.
public struct BufferOverflowError: Error, Equatable {
  /// How many elements waited: as many as may.
  public let limit: Int

  /// An error of a buffer of `limit` elements.
  public init(limit: Int) { self.limit = limit }
}

extension BufferOverflowError: CustomStringConvertible {
  /// One sentence on what happened.
  public var description: String { "An element arrived while \(limit) waited in a full buffer." }
}
