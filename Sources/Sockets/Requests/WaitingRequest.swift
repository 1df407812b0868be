import Synchronization

/// A key among those that are read from messages in the same way.
struct RequestKey: Hashable, @unchecked Sendable {
  let namespace: Int
  // Safe because `ReplyReader` and `OutgoingRequest` accept only Sendable keys.
  let value: AnyHashable
}

/// The identity of a request from its start to its end.
final class RequestTicket: Sendable {
  /// The position among all requests of the socket.
  let number: Int
  let key: RequestKey
  private let hasEnded = Atomic(false)

  init(number: Int, key: RequestKey) { (self.number, self.key) = (number, key) }

  /// Whether the request has a result or was disposed of.
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Notes the end; the caller holds the lock of the table.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}

/// A request before its start.
struct OutgoingRequest: Sendable {
  let message: WebSocketMessage
  let reader: ReplyReader
  let timeout: Duration
  let whenLost: LostRequestPolicy
  // Safe because `init` accepts only Sendable keys.
  nonisolated(unsafe) let key: AnyHashable
  /// Called once, unless the request is disposed of.
  let end: @Sendable (RequestOutcome) -> Void

  init(
    _ message: WebSocketMessage,
    key: some Hashable & Sendable,
    _ reader: ReplyReader,
    timeout: Duration,
    whenLost: LostRequestPolicy,
    end: @escaping @Sendable (RequestOutcome) -> Void
  ) {
    (self.message, self.reader, self.timeout) = (message, reader, timeout)
    (self.key, self.whenLost, self.end) = (AnyHashable(key), whenLost, end)
  }
}

/// How a request ends.
enum RequestOutcome {
  case reply(WebSocketMessage, header: Any)
  case failure(RequestError)
}

/// A request that has no reply yet.
struct WaitingRequest: Sendable {
  let ticket: RequestTicket
  /// The message, if it is sent again after a loss.
  let repeated: WebSocketMessage?
  let readerID: Int
  /// Whether a connection has accepted it.
  var isSent = false
  /// The end of the last connection that had accepted it.
  var loss: WebSocketError?
  let end: @Sendable (RequestOutcome) -> Void

  /// Fails the request, because it was not sent, or not again.
  func failUnsent(_ error: WebSocketError) {
    end(.failure(loss.map { .connectionLost($0) } ?? .notSent(error)))
  }
}
