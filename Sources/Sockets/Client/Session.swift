/// One WebSocket from its handshake to its end: a plain value that decides.
///
/// The driver locks it, asks, unlocks and acts. Bytes of the peer go in and whatever is to be told
/// comes out through `next`, one thing at a time, in order; bytes for the peer leave by
/// `lend` and `takeBack`.
///
///                     redirected
///                      ^     |
///     idle --begin--> opening --acceptance-> open --peer closed, error--> over
///       |                |                    `---> broken --> read ---'  |
///       `----------------`--------close, failure, deadline----------------'
struct Session {
  enum Phase {
    case idle
    // Apart from the session, which is smaller for it while there are none of these.
    indirect case opening(OpeningHandshake)
    /// The server has sent us on: there when the transport has closed.
    indirect case redirected(Dialer)
    /// Until the peer has closed too.
    case open
    /// The connection is broken: nothing can be sent, and what had arrived is delivered.
    ///
    /// `afterClose`: this side had closed before.
    indirect case broken(TransportError, afterClose: Bool)
    /// The peer has nothing more to say that counts. Told when the transport has closed.
    indirect case over(CloseOutcome, Shutdown)
  }

  /// What is left of the handshake, apart from the session: most clients keep nothing.
  enum Handshake {
    case none
    indirect case made(Agreement)
    /// It came to nothing: who it was, for the log.
    indirect case failed(Visitor)
  }

  /// What is to become of the transport.
  enum Shutdown {
    /// The peer may read our last bytes, and ends it.
    case graceful
    /// The same, and the time for it counts once they have left.
    case gracefulOnceSent
    /// There is nothing to wait for.
    case abort
  }

  /// A wait that may take too long.
  enum Deadline { case handshake, close }

  /// Where the WebSocket is; it changes before it is told.
  private(set) var state = WebSocketState.idle
  /// What the handshake came to.
  var agreement: Agreement? { if case .made(let agreement) = handshake { agreement } else { nil } }
  /// Whether less waits to be sent than the high-water mark or, after more, than half of it.
  var isWritable = true

  let isServer: Bool
  let options: SharedOptions
  var handshake = Handshake.none
  var phase = Phase.idle
  var connection: Connection
  var untold: [SessionEvent] = []
  /// How much of the output the peer asked for by its frames: pongs.
  var answered = 0
  /// How much of the output is being written somewhere else.
  var lent = 0
  var bytesReceived = 0
  var bytesSent = 0

  /// More output than this, and nothing more is read until half of it is gone.
  static let outputLimit = 1 << 20

  init(_ role: Connection.Role, _ options: SharedOptions) {
    if case .server = role { isServer = true } else { isServer = false }
    self.options = options
    connection = Connection(
      role, messageLimit: options.limits.messageLimit, fragmentSize: options.limits.fragmentSize)
  }

  /// What is to become of the transport, once nothing that the peer says counts any more.
  var shutdown: Shutdown? {
    switch phase {
    case .over(_, let shutdown): shutdown
    case .redirected: .abort
    case .idle, .opening, .open, .broken: nil
    }
  }

  /// Whether the connection broke while it was open, and what had arrived is still delivered.
  var isBroken: Bool { if case .broken(_, afterClose: false) = phase { true } else { false } }

  /// How it ends; nil before that is known.
  var outcome: CloseOutcome? {
    if case .over(let outcome, _) = phase { outcome } else { nil }
  }

  /// Where to go next.
  var redirect: Dialer? {
    if case .redirected(let route) = phase { route } else { nil }
  }

  mutating func advance(to state: WebSocketState) {
    self.state = state
    untold.append(.state(state))
  }

  /// What the peer says does not count any more.
  mutating func conclude(_ outcome: CloseOutcome, _ shutdown: Shutdown) {
    if case .opening(.server(let opening)) = phase, let visitor = opening.visitor {
      handshake = .failed(visitor)
    }
    phase = .over(outcome, shutdown)
    if let error = outcome.error { untold.append(.failed(error)) }
    if state == .connected { advance(to: .disconnecting) }
  }
}

// MARK: - Beginning and outcome

extension Session {
  /// The transport is under way.
  mutating func begin(_ opening: OpeningHandshake) {
    phase = .opening(opening)
    advance(to: .connecting)
    put(opening.request)
  }

  /// The transport to where the server sent us is under way; false when nobody wants it any more.
  mutating func resume(_ opening: OpeningHandshake) -> Bool {
    guard case .redirected = phase else { return false }
    phase = .opening(opening)
    connection.output.consume(connection.output.count)
    put(opening.request)
    return true
  }

  /// There is no way to where the server sent us.
  mutating func giveUp(_ error: WebSocketError) {
    if case .redirected = phase { conclude(CloseOutcome(error: error), .abort) }
  }

  /// There will be no transport.
  mutating func fail(_ error: WebSocketError) {
    advance(to: .connecting)
    conclude(CloseOutcome(error: error), .abort)
    transportClosed(nil)
  }

  /// This side closes.
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
      if !code.isSendable { untold.append(.failed(.closeCodeNotSendable(code))) }
      // An open connection refuses nothing but a code that may not be sent.
      try? connection.close(code.isSendable ? code : .normal, reason: reason)
      advance(to: .disconnecting)
    case .broken(let error, _): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .over: break
    }
  }

  /// This side wants no more of it.
  mutating func drop() {
    switch phase {
    case .idle, .opening, .redirected: close(.normal, reason: "")
    case .open, .broken: conclude(CloseOutcome(), .abort)
    case .over: break
    }
  }

  /// A wait has taken too long: true when the transport is to be dropped for it.
  mutating func expire(_ deadline: Deadline) -> Bool {
    let limits = options.limits
    switch (deadline, phase) {
    case (.handshake, .opening(.server(let opening))) where opening.isBetweenRequests:
      // An answer that has not left yet is watched by itself.
      if unwrittenCount > 0 { return false }
      conclude(CloseOutcome(), .abort)
    case (.handshake, .opening(.server)) where isAsking:
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

  /// Ends an open connection with this error: true when the transport is to be dropped for it.
  mutating func abandon(_ error: WebSocketError) -> Bool {
    switch phase {
    case .open where state == .connected, .broken:
      conclude(CloseOutcome(error: error), .abort)
      return true
    case .opening where isDelivering:
      conclude(CloseOutcome(error: error), .abort)
      return true
    case .over(_, .gracefulOnceSent): return true
    default: return false
    }
  }

  /// This side closes because the server holds too much, and of this connection the most.
  mutating func closeOverBudget(_ limit: Int) {
    switch phase {
    case .open, .broken:
      // 7.4.1: 1009 where the connection's own message is the cause.
      let isMessage = connection.unfinishedBytes > 0
      let code = isMessage ? CloseCode.messageTooBig : .tryAgainLater
      let reason = isMessage ? "the message is too big for this server now" : "the server is full"
      refuse(.overBudget(limit: limit), code, reason: reason)
    case .opening(.server):
      // RFC 9110, section 15.6.4.
      put(HandshakeRefusal(status: 503, reason: "Service Unavailable").response)
      conclude(CloseOutcome(error: .overBudget(limit: limit)), .graceful)
    case .idle, .opening, .redirected, .over: break
    }
  }

  /// This side closes an open connection, and takes nothing more of what the peer sends.
  mutating func refuse(_ error: WebSocketError, _ code: CloseCode, reason: String) {
    switch phase {
    case .open, .broken:
      connection.refuse(code, reason: reason)
      conclude(CloseOutcome(error: error, code: code, reason: reason), .graceful)
    case .idle, .opening, .redirected, .over: break
    }
  }

  /// How many bytes of messages have come whose end has not.
  var unfinishedBytes: Int {
    if case .opening(.server(let opening)) = phase { return opening.unfinishedBytes }
    return connection.unfinishedBytes
  }

  /// The connection is broken, and what had arrived can still be read: true when nobody wants that, and the transport
  /// is to be dropped.
  mutating func breakOff(_ error: TransportError) -> Bool {
    switch phase {
    case .open:
      phase = .broken(error, afterClose: state != .connected)
      connection.discardOutput()
      if state == .connected { advance(to: .disconnecting) }
    // Nobody waits for an answer any more.
    case .opening(.server): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .over(_, .gracefulOnceSent): return true
    case .opening, .idle, .redirected, .broken, .over: break
    }
    return false
  }

  /// What had arrived on a broken connection is not wanted any more: true when the transport is to be
  /// dropped.
  mutating func abandonBroken() -> Bool {
    guard case .broken(let error, _) = phase else { return false }
    conclude(CloseOutcome(error: .transport(error)), .abort)
    return true
  }

  /// The peer's bytes have ended.
  mutating func inputEnded() {
    switch phase {
    case .opening(.server(let opening)) where opening.isBetweenRequests:
      // What is answered leaves first.
      conclude(CloseOutcome(), .gracefulOnceSent)
    case .opening(let opening):
      conclude(CloseOutcome(error: .handshake(opening.receiveEnd())), .abort)
    case .broken(let error, _): conclude(CloseOutcome(error: .transport(error)), .abort)
    case .open:
      var last: ConnectionEvent?
      connection.receiveEnd { last = $0 }
      if let event = last.flatMap({ take($0) }) { untold.append(event) }
    case .idle, .redirected, .over: break
    }
  }

  /// The transport is gone.
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
    // Nothing of it will be sent.
    connection.discardOutput()
    advance(to: .disconnected)
    untold.append(.ended(outcome))
  }
}

// MARK: - Input

extension Session {
  /// How many events `next` takes of which nobody is told, such as pings.
  private static let mostQuietEvents = 64

  /// Whether what the peer sends is of no interest.
  var ignoresInput: Bool {
    switch phase {
    case .idle, .redirected, .over: true
    case .opening, .open, .broken: false
    }
  }

  /// Takes bytes off the front of `input` up to the next thing to tell; nil when there is none in the bytes
  /// that were taken, which may be a part of them: it returns soon.
  mutating func next(
    from input: inout UnsafeRawBufferPointer,
    wantsFrames: Bool
  ) -> SessionEvent? {
    let count = input.count
    defer { bytesReceived += count - input.count }
    var quietEvents = 0
    while untold.isEmpty {
      switch phase {
      case .opening:
        if input.isEmpty || isAsking { return nil }
        shakeHands(&input)
      case .open, .broken:
        connection.wantsFrames = wantsFrames
        let waiting = connection.output.count
        guard let event = connection.nextEvent(from: &input) else { return nil }
        answered += connection.output.count - waiting
        if let event = take(event) { return event }
        quietEvents += 1
        if quietEvents == Self.mostQuietEvents, !input.isEmpty { return nil }
      case .idle, .redirected, .over:
        return nil
      }
    }
    let event = untold.removeFirst()
    // Messages do not come through here: for years nothing may, and its memory need not wait.
    if untold.isEmpty { untold = [] }
    return event
  }

  /// Takes the message that `input` begins with, when nobody wants frames; nil for all else.
  mutating func nextMessage(from input: inout UnsafeRawBufferPointer) -> WebSocketMessage? {
    guard case .open = phase, untold.isEmpty else { return nil }
    let count = input.count
    connection.wantsFrames = false
    guard let message = connection.nextWholeMessage(from: &input) else { return nil }
    bytesReceived += count - input.count
    return message
  }

  /// What an event of the connection comes to; nil when nobody is told.
  private mutating func take(_ event: ConnectionEvent) -> SessionEvent? {
    switch event {
    case .frame(let frame): return .frame(frame)
    case .message(let message): return .message(message)
    case .pong(let payload): return .pong(payload)
    case .ping: break
    case .peerClosed(.abnormal, _): conclude(CloseOutcome(error: .connectionLost), .graceful)
    case .peerClosed(let code, let reason):
      conclude(CloseOutcome(code: code, reason: reason), .graceful)
    case .failed(let error):
      let violation = WebSocketError.protocolViolation(error)
      conclude(
        CloseOutcome(error: violation, code: error.closeCode, reason: error.description),
        .graceful
      )
    }
    return nil
  }
}
