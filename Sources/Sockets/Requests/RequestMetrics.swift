/// The counts of a socket's requests and replies at one moment.
public struct RequestMetrics: Hashable, Sendable {
  /// Requests that wait for a reply.
  public var waiting = 0
  /// Replies that arrived after their request had timed out or was disposed of.
  ///
  /// They are not delivered. The keys of the last 1,024 such requests of a connection are kept; the
  /// reply of an earlier one is an unmatched reply.
  public var lateReplies = 0
  /// Messages with a key that belongs to no request; they are delivered as ordinary messages.
  ///
  /// They are counted while a request of the same header waits, or may have a late reply.
  public var unmatchedReplies = 0
  /// Ordinary messages of a ``WebSocket`` without an observer that were discarded: a request waited,
  /// and the messages kept for the first observer had reached their limit.
  public var discardedMessages = 0
}
