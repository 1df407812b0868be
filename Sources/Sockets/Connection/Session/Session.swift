/// One WebSocket from its handshake to its end: a plain value that decides.
///
/// The driver locks it, asks, unlocks and acts. The peer's bytes go in through `read`, which
/// returns one event at a time, in order. Bytes for the peer are taken out by `lend` and returned
/// by `takeBack`.
///
///                     redirected
///                      ^     |
///     idle --begin--> opening --acceptance-> open --peer closed, error--> over
///       |                |                    `---> broken --> read ---'  |
///       `----------------`--------close, failure, deadline----------------'
struct Session {
  enum Phase {
    case idle
    // Indirect, which keeps the session small: most sessions are past their handshake.
    indirect case opening(OpeningHandshake)
    /// The server redirected us; the new handshake begins once this transport has closed.
    indirect case redirected(Dialer)
    /// Messages go both ways, until the peer has closed too.
    case open
    /// The connection broke: nothing can be sent, and bytes that had arrived are still delivered.
    ///
    /// `afterClose`: this side had closed before.
    indirect case broken(TransportError, afterClose: Bool)
    /// Nothing that the peer sends has an effect.
    ///
    /// The end is emitted when the transport has closed.
    indirect case over(CloseOutcome, Shutdown)
  }

  /// What the session keeps of its handshake, which is nothing for most clients.
  enum Handshake {
    case none
    indirect case made(Agreement)
    /// The handshake failed; the log needs the client.
    indirect case failed(RemoteClient)
  }

  /// How the transport ends.
  enum Shutdown {
    /// Our last bytes are written, then the peer closes the transport within the close timeout.
    case graceful
    /// The same, but the close timeout begins when the peer's system has taken the last bytes.
    case gracefulOnceSent
    /// The transport closes at once.
    case abort
  }

  /// A wait with a time limit.
  enum Deadline { case handshake, close }

  /// The current state; it changes before it is emitted.
  private(set) var state = WebSocketState.idle
  /// The result of the handshake, if it is worth keeping.
  var agreement: Agreement? { if case .made(let agreement) = handshake { agreement } else { nil } }
  /// Whether the queue is below the high-water mark or, once it was above, down to half of it.
  var isWritable = true

  let isServer: Bool
  let options: SharedOptions
  var handshake = Handshake.none
  var phase = Phase.idle
  var connection: Connection
  var pendingEvents: [SessionEvent] = []
  /// The bytes of the output that answer frames of the peer, such as pongs.
  var answered = 0
  /// The bytes of the output that are being written outside of the session.
  var lent = 0
  var bytesReceived = 0
  var bytesSent = 0

  /// The bytes of output above which reading pauses, until half of them are written.
  static let outputLimit = 1 << 20

  init(_ role: Connection.Role, _ options: SharedOptions) {
    if case .server = role { isServer = true } else { isServer = false }
    self.options = options
    connection = Connection(
      role, messageLimit: options.limits.messageLimit, fragmentSize: options.limits.fragmentSize)
  }

  /// How the transport ends; nil while input of the peer still has an effect.
  var shutdown: Shutdown? {
    switch phase {
    case .over(_, let shutdown): shutdown
    case .redirected: .abort
    case .idle, .opening, .open, .broken: nil
    }
  }

  /// Whether the connection broke while it was open; bytes that had arrived are still delivered.
  var isBroken: Bool { if case .broken(_, afterClose: false) = phase { true } else { false } }

  /// How the WebSocket ends; nil before that is known.
  var outcome: CloseOutcome? {
    if case .over(let outcome, _) = phase { outcome } else { nil }
  }

  /// The target of a redirect that is to be followed.
  var redirect: Dialer? {
    if case .redirected(let route) = phase { route } else { nil }
  }

  mutating func advance(to state: WebSocketState) {
    self.state = state
    pendingEvents.append(.state(state))
  }

  /// Ends the session: input of the peer has no effect from here on.
  mutating func conclude(_ outcome: CloseOutcome, _ shutdown: Shutdown) {
    if case .opening(.server(let opening)) = phase, let remoteClient = opening.remoteClient {
      handshake = .failed(remoteClient)
    }
    phase = .over(outcome, shutdown)
    if let error = outcome.error { pendingEvents.append(.failed(error)) }
    if state == .connected { advance(to: .disconnecting) }
  }
}

// MARK: - Beginning and outcome

extension Session {
  /// Begins the handshake on a transport that is about to start.
  mutating func begin(_ opening: OpeningHandshake) {
    phase = .opening(opening)
    advance(to: .connecting)
    put(opening.request)
  }

  /// Begins the handshake with a redirect's target; returns false when the session was closed.
  mutating func resume(_ opening: OpeningHandshake) -> Bool {
    guard case .redirected = phase else { return false }
    phase = .opening(opening)
    connection.output.consume(connection.output.count)
    put(opening.request)
    return true
  }

  /// Fails because the target of a redirect cannot be dialed.
  mutating func failRedirect(_ error: WebSocketError) {
    if case .redirected = phase { conclude(CloseOutcome(error: error), .abort) }
  }

  /// Fails before there is a transport.
  mutating func fail(_ error: WebSocketError) {
    advance(to: .connecting)
    conclude(CloseOutcome(error: error), .abort)
    transportClosed(nil)
  }

  /// Closes from this side.
  mutating func close(_ code: CloseCode, reason: String) {
    switch phase {
    case .idle:
      conclude(CloseOutcome(), .abort)
      transportClosed(nil)
    case .opening, .redirected:
      conclude(CloseOutcome(), .abort)
      advance(to: .disconnecting)
    case .open:
      guard state == .connected else { return }
      if !code.isSendable { pendingEvents.append(.failed(.closeCodeNotSendable(code))) }
      // An open connection rejects only codes that may not be sent, and those were replaced.
      try? connection.close(code.isSendable ? code : .normal, reason: reason)
      advance(to: .disconnecting)
    case .broken(let error, _): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .over: break
    }
  }

  /// Ends the session from this side, without a close frame on an open connection.
  mutating func drop() {
    switch phase {
    case .idle, .opening, .redirected: close(.normal, reason: "")
    case .open, .broken: conclude(CloseOutcome(), .abort)
    case .over: break
    }
  }

  /// Notes that a deadline has passed; returns true when the transport has to be dropped.
  mutating func expire(_ deadline: Deadline) -> Bool {
    let limits = options.limits
    switch (deadline, phase) {
    case (.handshake, .opening(.server(let opening))) where opening.isBetweenRequests:
      // An answer that is still being written has its own watch.
      if unwrittenCount > 0 { return false }
      conclude(CloseOutcome(), .abort)
    case (.handshake, .opening(.server)) where isAwaitingAnswer:
      refuse(.tooSlow)
      return false
    case (.handshake, .opening(let opening)):
      let timeout = WebSocketError.handshakeTimedOut(after: limits.handshakeTimeout)
      conclude(CloseOutcome(error: opening.refusal.map { .handshake($0) } ?? timeout), .abort)
    case (.handshake, .redirected):
      let limit = limits.handshakeTimeout
      conclude(CloseOutcome(error: .handshakeTimedOut(after: limit)), .abort)
    case (.close, .open), (.close, .broken):
      conclude(CloseOutcome(error: .closeTimedOut(after: limits.closeTimeout)), .abort)
    case (.close, .over(_, .gracefulOnceSent)) where unwrittenCount > 0: return false
    case (.close, .over): break
    case (.handshake, _), (.close, _): return false
    }
    return true
  }

  /// Ends the connection with an error; returns true when the transport has to be dropped.
  mutating func abandon(_ error: WebSocketError) -> Bool {
    switch phase {
    case .open where state == .connected, .broken:
      conclude(CloseOutcome(error: error), .abort)
      return true
    case .opening where isWritingAnswer:
      conclude(CloseOutcome(error: error), .abort)
      return true
    case .over(_, .gracefulOnceSent): return true
    default: return false
    }
  }

  /// Closes because the server holds too many bytes, and this connection holds the most.
  mutating func closeOverBudget(_ limit: Int) {
    switch phase {
    case .open, .broken:
      // 7.4.1: 1009 when the connection's own message is the cause.
      let isMessage = connection.unfinishedBytes > 0
      let code = isMessage ? CloseCode.messageTooBig : .tryAgainLater
      let reason = isMessage ? "the message is too big for this server now" : "the server is full"
      refuse(.overBudget(limit: limit), code, reason: reason)
    case .opening(.server):
      // RFC 9110, section 15.6.4.
      put(HandshakeRefusal(status: 503).response())
      conclude(CloseOutcome(error: .overBudget(limit: limit)), .graceful)
    case .idle, .opening, .redirected, .over: break
    }
  }

  /// Closes an open connection and ignores all further input.
  mutating func refuse(_ error: WebSocketError, _ code: CloseCode, reason: String) {
    switch phase {
    case .open, .broken:
      connection.refuse(code, reason: reason)
      conclude(CloseOutcome(error: error, code: code, reason: reason), .graceful)
    case .idle, .opening, .redirected, .over: break
    }
  }

  /// The bytes received of messages that are not complete.
  var unfinishedBytes: Int {
    if case .opening(.server(let opening)) = phase { return opening.unfinishedBytes }
    return connection.unfinishedBytes
  }

  /// Notes that the connection broke; bytes that had arrived can still be read.
  ///
  /// Returns true when only an answer was still being written: the transport has to be dropped.
  mutating func connectionBroke(_ error: TransportError) -> Bool {
    switch phase {
    case .open:
      phase = .broken(error, afterClose: state != .connected)
      connection.discardOutput()
      if state == .connected { advance(to: .disconnecting) }
    // The client of an unanswered request is no longer there to receive an answer.
    case .opening(.server): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .over(_, .gracefulOnceSent): return true
    case .opening, .idle, .redirected, .broken, .over: break
    }
    return false
  }

  /// Discards bytes that had arrived on a broken connection.
  ///
  /// Returns true when the connection was broken: the transport has to be dropped.
  mutating func abandonBroken() -> Bool {
    guard case .broken(let error, _) = phase else { return false }
    conclude(CloseOutcome(error: .transport(error)), .abort)
    return true
  }

  /// Notes the end of the peer's bytes.
  mutating func inputEnded() {
    switch phase {
    case .opening(.server(let opening)) where opening.isBetweenRequests:
      // Answers in the queue are written first.
      conclude(CloseOutcome(), .gracefulOnceSent)
    case .opening(let opening):
      conclude(CloseOutcome(error: .handshake(opening.receiveEnd())), .abort)
    case .broken(let error, _): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .open:
      var last: ConnectionEvent?
      connection.receiveEnd { last = $0 }
      if let event = last.flatMap({ take($0) }) { pendingEvents.append(event) }
    case .idle, .redirected, .over: break
    }
  }

  /// Notes that the transport has closed: the session is disconnected.
  mutating func transportClosed(_ error: TransportError?) {
    switch phase {
    case .over: break
    case .opening(let opening) where opening.refusal != nil:
      conclude(CloseOutcome(error: .handshake(opening.receiveEnd())), .abort)
    case .opening(.server(let opening)) where opening.isBetweenRequests:
      conclude(CloseOutcome(), .abort)
    case .idle, .opening, .redirected:
      let error = error.map { WebSocketError.transport($0) } ?? .handshake(.connectionClosed)
      conclude(CloseOutcome(error: error), .abort)
    case .open:
      conclude(CloseOutcome(error: error.map { .transport($0) } ?? .connectionLost), .abort)
    case .broken(let first, _):
      conclude(CloseOutcome(error: .transport(error ?? first)), .abort)
    }
    guard case .over(let outcome, _) = phase else { return }
    // The transport has closed, so queued output is never written.
    connection.discardOutput()
    advance(to: .disconnected)
    pendingEvents.append(.ended(outcome))
  }
}
