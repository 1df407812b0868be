/// A message that was accepted and that was not sent yet.
struct PendingMessage: Sendable {
  enum Origin: Sendable {
    /// `send`, with the position among all messages that it has accepted.
    case send(number: Int)
    case request(RequestTicket)
  }

  let origin: Origin
  let message: WebSocketMessage

  /// The request that it belongs to; nil for a message of `send`.
  var ticket: RequestTicket? { if case .request(let ticket) = origin { ticket } else { nil } }

  /// Whether it belongs to a request that has ended, so that it is not sent any more.
  fileprivate var isWithdrawn: Bool { ticket?.isOver == true }
}

/// The messages that wait for a connection, in the order of the `send` calls: a plain value.
struct Backlog {
  private let policy: BacklogPolicy
  /// Messages that an earlier connection did not send; older than all in `waiting`.
  private var requeued = Fifo<PendingMessage>()
  private var waiting = Fifo<PendingMessage>()
  /// About how many of the messages are withdrawn.
  private var withdrawnCount = 0
  /// How many messages of `send` were accepted.
  private(set) var acceptedCount = 0

  init(_ policy: BacklogPolicy) { self.policy = policy }

  private var count: Int { requeued.count + waiting.count }

  /// Accepts a message that is sent at once.
  ///
  /// - Parameter ticket: of the request that it belongs to; nil for a message of `send`.
  mutating func accept(_ message: WebSocketMessage, of ticket: RequestTicket?) -> PendingMessage {
    if let ticket { return PendingMessage(origin: .request(ticket), message: message) }
    acceptedCount += 1
    return PendingMessage(origin: .send(number: acceptedCount), message: message)
  }

  /// Accepts a message that has to wait; returns the oldest when that is dropped for it.
  mutating func add(
    _ message: WebSocketMessage,
    of ticket: RequestTicket? = nil,
    in state: WebSocketState
  ) throws(WebSocketError) -> PendingMessage? {
    if count >= policy.limit, withdrawnCount > 0 { removeWithdrawn() }
    switch policy {
    case .fail: throw .notConnected(state)
    case .queue(let limit) where count >= limit: throw .backlogFull(limit: limit)
    case .queue, .dropOldest: break
    }
    waiting.append(accept(message, of: ticket))
    guard case .dropOldest(let limit) = policy, count > limit else { return nil }
    return popFirst()
  }

  /// Puts messages before all others, to be sent again; the policy's limit does not apply.
  mutating func repeatFirst(_ messages: [PendingMessage]) {
    var repeated = Fifo<PendingMessage>()
    messages.forEach { repeated.append($0) }
    while let next = requeued.popFirst() { repeated.append(next) }
    requeued = repeated
  }

  /// Notes that a request has ended whose message may be in the backlog.
  mutating func withdrew() {
    withdrawnCount += 1
    // In this way a removal takes constant time on average.
    if withdrawnCount * 2 > count { removeWithdrawn() }
  }

  private mutating func removeWithdrawn() {
    withdrawnCount = 0
    (requeued, waiting) = (requeued.withoutWithdrawn, waiting.withoutWithdrawn)
  }

  /// Returns an unsent message to the backlog, in order; false when the policy is `fail`.
  mutating func requeue(_ message: PendingMessage) -> Bool {
    if policy == .fail { return false }
    requeued.append(message)
    return true
  }

  /// Removes the oldest message, and those of ended requests before it.
  mutating func popFirst() -> PendingMessage? {
    while let next = requeued.popFirst() ?? waiting.popFirst() {
      if !next.isWithdrawn { return next }
    }
    return nil
  }
}

extension Fifo<PendingMessage> {
  fileprivate var withoutWithdrawn: Self {
    var kept = Self()
    for index in 0..<count where !self[index].isWithdrawn { kept.append(self[index]) }
    return kept
  }
}
