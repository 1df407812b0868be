/// A message that `send` has accepted and that was not sent yet.
struct PendingMessage: Sendable {
  let number: Int
  let message: WebSocketMessage

  func outcome(_ outcome: SendOutcome.Outcome) -> SendOutcome {
    SendOutcome(number: number, message: message, outcome: outcome)
  }
}

/// The messages that wait for a connection, in the order of the `send` calls: a plain value.
struct Backlog {
  private let policy: BacklogPolicy
  /// Messages that an earlier connection did not send; older than all in `waiting`.
  private var requeued = Fifo<PendingMessage>()
  private var waiting = Fifo<PendingMessage>()
  private var acceptedCount = 0

  init(_ policy: BacklogPolicy) { self.policy = policy }

  private var count: Int { requeued.count + waiting.count }

  /// Numbers a message that is sent at once.
  mutating func number(_ message: WebSocketMessage) -> PendingMessage {
    acceptedCount += 1
    return PendingMessage(number: acceptedCount, message: message)
  }

  /// Adds a message that has to wait; returns the oldest when that is dropped for it.
  mutating func add(
    _ message: WebSocketMessage,
    in state: WebSocketState
  ) throws(WebSocketError) -> PendingMessage? {
    switch policy {
    case .fail: throw .notConnected(state)
    case .queue(let limit) where count >= limit: throw .backlogFull(limit: limit)
    case .queue, .dropOldest: break
    }
    waiting.append(number(message))
    guard case .dropOldest(let limit) = policy, count > limit else { return nil }
    return popFirst()
  }

  /// Returns an unsent message to the backlog, in order; false when the policy is `fail`.
  mutating func requeue(_ message: PendingMessage) -> Bool {
    if policy == .fail { return false }
    requeued.append(message)
    return true
  }

  /// Removes the oldest message.
  mutating func popFirst() -> PendingMessage? { requeued.popFirst() ?? waiting.popFirst() }
}
