/// Decides which rows of a growing list are read next, and which are skipped.
struct EventCursor: Equatable, Sendable {
  enum Decision: Equatable, Sendable {
    /// All events are read.
    case wait
    /// So many events were left out.
    case skipped(Int)
    /// Read these positions.
    case read(from: Int, count: Int)
  }

  /// The most rows of one request.
  static let pageSize = 200
  /// The number of unread events from which on all but the last page are skipped.
  static let skipLimit = 10_000

  /// The position of the next event.
  private(set) var position: Int

  /// Starts before the last events of a list.
  init(last count: Int, of progress: QueryProgress) {
    position = max(progress.dropped, progress.count - count)
  }

  /// The next thing to do.
  ///
  /// - Parameter maySkip: whether events are left out when too many are unread
  mutating func next(_ progress: QueryProgress, maySkip: Bool) -> Decision {
    let unread = progress.count - position
    guard unread > 0 else { return .wait }
    if maySkip, unread > Self.skipLimit { return skip(to: progress.count - Self.pageSize) }
    if position < progress.dropped { return skip(to: progress.dropped) }
    return .read(from: position, count: min(unread, Self.pageSize))
  }

  /// Advances by the rows that a request for `count` of them has returned.
  ///
  /// Returns the number of those that were dropped before they were read.
  mutating func advance(by count: Int, returned rowCount: Int, from first: Int) -> Int {
    // A program that is none may answer with any number.
    let first = min(max(0, first), .max - rowCount)
    let end = max(position, rowCount > 0 ? first + rowCount : position + count)
    let missing = end - position - rowCount
    position = end
    return max(0, missing)
  }

  private mutating func skip(to target: Int) -> Decision {
    let count = target - position
    position = target
    return .skipped(count)
  }
}
