/// One WebSocket from its handshake to its end: a plain value that decides.
///
/// The driver locks it, asks, unlocks and acts. The peer's bytes go in through `read`, which
/// returns one event at a time, in order. Bytes for the peer are taken out by `beginWrite` and
/// those that were not written are returned by `endWrite`.
///
///                     redirected
///                      ^     |
///     idle --begin--> opening --acceptance-> open --peer closed, error--> over
///       |                |                    `---> broken --> read ---'  |
///       `----------------`--------close, failure, deadline----------------'
struct Session: ~Copyable {
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
  enum HandshakeResult {
    case none
    /// A server has accepted this request, without a subprotocol and an extension.
    case plain(WebSocketRequest)
    indirect case accepted(Agreement)
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
  /// Whether the queue is below the high-water mark or, once it was above, down to half of it.
  var isWritable = true

  let isServer: Bool
  let options: SharedOptions
  var handshakeResult = HandshakeResult.none
  var phase = Phase.idle
  var codec: MessageCodec
  var pendingEvents: [SessionEvent] = []
  /// The bytes of the output that answer frames of the peer: pongs.
  var pongBytes = 0
  /// The bytes of the output that are being written outside of the session.
  var bytesInWrite = 0
  var bytesReceived = 0
  var bytesSent = 0

  init(_ role: MessageCodec.Role, _ options: SharedOptions) {
    if case .server = role { isServer = true } else { isServer = false }
    self.options = options
    codec = MessageCodec(
      role, messageLimit: options.limits.messageLimit, fragmentSize: options.limits.fragmentSize)
  }

  /// The result of the handshake, if it is worth keeping.
  var agreement: Agreement? {
    switch handshakeResult {
    case .plain(let request): Agreement(extensions: "", request: request)
    case .accepted(let agreement): agreement
    case .none, .failed: nil
    }
  }

  /// How the transport ends; nil while input of the peer still has an effect.
  @inline(__always)
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
    if case .redirected(let dialer) = phase { dialer } else { nil }
  }

  mutating func advance(to state: WebSocketState) {
    self.state = state
    pendingEvents.append(.state(state))
  }

  /// Ends the session: input of the peer has no effect from here on.
  mutating func end(_ outcome: CloseOutcome, _ shutdown: Shutdown) {
    if case .opening(.server(let opening)) = phase, let remoteClient = opening.remoteClient {
      handshakeResult = .failed(remoteClient)
    }
    phase = .over(outcome, shutdown)
    if let error = outcome.error { pendingEvents.append(.failed(error)) }
    if state == .connected { advance(to: .disconnecting) }
  }
}

// MARK: - Ending from this side

extension Session {
  /// Closes with a close frame; before the connection is open, at once.
  mutating func close(_ code: CloseCode, reason: String) {
    switch phase {
    case .idle:
      end(CloseOutcome(), .abort)
      transportClosed(nil)
    case .opening, .redirected:
      end(CloseOutcome(), .abort)
      advance(to: .disconnecting)
    case .open:
      guard state == .connected else { return }
      if !code.isSendable { pendingEvents.append(.failed(.closeCodeNotSendable(code))) }
      codec.close(ClosePayload(code: code.isSendable ? code : .normal, reason: reason))
      advance(to: .disconnecting)
    case .broken: dropUnreadBytes()
    case .over: break
    }
  }

  /// Closes an open connection with a close frame because of an error, and ignores further input.
  mutating func fail(_ error: WebSocketError, _ code: CloseCode, reason: String) {
    switch phase {
    case .open, .broken:
      codec.closeAtOnce(ClosePayload(code: code, reason: reason))
      end(CloseOutcome(error: error, code: code, reason: reason), .graceful)
    case .idle, .opening, .redirected, .over: break
    }
  }

  /// Closes because the server holds too many bytes, and this connection holds the most.
  mutating func failOverBudget(_ limit: Int) {
    if case .opening(.server) = phase {
      // RFC 9110, section 15.6.4.
      codec.output.append(HandshakeRefusal(status: 503).response())
      return end(CloseOutcome(error: .overBudget(limit: limit)), .graceful)
    }
    // 7.4.1: 1009 when the connection's own message is the cause.
    let isMessage = codec.unfinishedBytes > 0
    let code = isMessage ? CloseCode.messageTooBig : .tryAgainLater
    let reason = isMessage ? "the message is too big for this server now" : "the server is full"
    fail(.overBudget(limit: limit), code, reason: reason)
  }

  /// Ends without a close frame.
  mutating func drop() {
    switch phase {
    case .idle, .opening, .redirected: close(.normal, reason: "")
    case .open, .broken: end(CloseOutcome(), .abort)
    case .over: break
    }
  }

  /// Ends without a close frame because the peer makes no progress.
  mutating func drop(_ error: WebSocketError) {
    switch phase {
    case .open where state == .connected, .broken: end(CloseOutcome(error: error), .abort)
    case .opening where isWritingAnswer: end(CloseOutcome(error: error), .abort)
    case .over(let outcome, .gracefulOnceSent): phase = .over(outcome, .abort)
    case .idle, .opening, .redirected, .open, .over: break
    }
  }

  /// Ends a broken connection without the bytes that had arrived.
  mutating func dropUnreadBytes() {
    guard case .broken(let error, _) = phase else { return }
    end(CloseOutcome(error: .transport(error)), .abort)
  }

  /// Notes that a deadline has passed, which may be one of an earlier phase.
  mutating func deadlinePassed(_ deadline: Deadline) {
    let limits = options.limits
    switch (deadline, phase) {
    case (.handshake, .opening(.server(let opening))) where opening.isBetweenRequests:
      // An answer that is still being written has its own watch.
      if unwrittenCount == 0 { end(CloseOutcome(), .abort) }
    case (.handshake, .opening) where isAwaitingAnswer: refuse(.tooSlow)
    case (.handshake, .opening), (.handshake, .redirected):
      let timeout = WebSocketError.handshakeTimedOut(after: limits.handshakeTimeout)
      end(CloseOutcome(error: incompleteRefusal ?? timeout), .abort)
    case (.close, .open), (.close, .broken):
      end(CloseOutcome(error: .closeTimedOut(after: limits.closeTimeout)), .abort)
    case (.close, .over(_, .gracefulOnceSent)) where unwrittenCount > 0: break
    case (.close, .over(let outcome, _)): phase = .over(outcome, .abort)
    case (.handshake, _), (.close, _): break
    }
  }
}

// MARK: - The transport

extension Session {
  /// Begins the handshake on a transport that is about to start, also on a redirect's target.
  ///
  /// Returns false when the session was closed.
  mutating func begin(_ opening: OpeningHandshake) -> Bool {
    switch phase {
    case .idle: advance(to: .connecting)
    case .redirected: codec.discardOutput()
    case .opening, .open, .broken, .over: return false
    }
    if case .client(let handshake, _) = opening { codec.output.append(handshake.request) }
    phase = .opening(opening)
    return true
  }

  /// Notes that no transport could be created.
  mutating func dialFailed(_ error: WebSocketError) {
    switch phase {
    case .idle:
      advance(to: .connecting)
      end(CloseOutcome(error: error), .abort)
      transportClosed(nil)
    case .redirected: end(CloseOutcome(error: error), .abort)
    case .opening, .open, .broken, .over: break
    }
  }

  /// Notes that the connection broke; bytes that had arrived can still be read.
  mutating func transportFailed(_ error: TransportError) {
    switch phase {
    case .open:
      phase = .broken(error, afterClose: state != .connected)
      codec.discardOutput()
      if state == .connected { advance(to: .disconnecting) }
    // The client of an unanswered request is no longer there to receive an answer.
    case .opening(.server): end(CloseOutcome(error: .transport(error)), .abort)
    case .over(let outcome, .gracefulOnceSent): phase = .over(outcome, .abort)
    case .opening, .idle, .redirected, .broken, .over: break
    }
  }

  /// Notes the end of the peer's bytes.
  mutating func inputEnded() {
    switch phase {
    case .opening(.server(let opening)) where opening.isBetweenRequests:
      // Answers in the queue are written first.
      end(CloseOutcome(), .gracefulOnceSent)
    case .opening:
      end(CloseOutcome(error: incompleteRefusal ?? .handshake(.connectionClosed)), .abort)
    case .broken: dropUnreadBytes()
    case .open:
      // 7.1.5: without a close frame of the peer the connection's close code is 1006.
      codec.closeAtOnce(nil)
      end(CloseOutcome(error: .connectionLost), .graceful)
    case .idle, .redirected, .over: break
    }
  }

  /// Notes that the transport has closed: the session is disconnected.
  mutating func transportClosed(_ error: TransportError?) {
    switch phase {
    case .over: break
    case .opening(.server(let opening)) where opening.isBetweenRequests:
      end(CloseOutcome(), .abort)
    case .idle, .opening, .redirected:
      let error = error.map { WebSocketError.transport($0) } ?? .handshake(.connectionClosed)
      end(CloseOutcome(error: incompleteRefusal ?? error), .abort)
    case .open:
      end(CloseOutcome(error: error.map { .transport($0) } ?? .connectionLost), .abort)
    case .broken(let first, _):
      end(CloseOutcome(error: .transport(error ?? first)), .abort)
    }
    guard case .over(let outcome, _) = phase else { return }
    // The transport has closed, so queued output is never written.
    codec.discardOutput()
    advance(to: .disconnected)
    pendingEvents.append(.ended(outcome))
  }
}
