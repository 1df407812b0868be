/// Decides what a reconnecting WebSocket does next.
///
///     idle -> creating -> connecting -> open -> disconnecting -> deciding -> waiting -.
///               ^   `---------`-----------------------------------^                    |
///               `----------------------------------------------------------------------'
///     closing: this side closes a connection;  ended: reached from any phase
struct ReconnectionStateMachine: StateMachine {
  enum Output: Sendable {
    case state(ReconnectionState)
    case emit(WebSocketEvent)
    /// Emit a message that a tool was delivering when it was received.
    case emitDelivered(WebSocketMessage, DeliveredEvent)
    /// Report how the sending of a message ended.
    case report(PendingMessage, SendOutcome.Outcome)
    /// Create a WebSocket for the attempt of this number.
    case create(Int)
    /// Subscribe to the WebSocket that was created, and connect it.
    case connect(Int)
    /// Run the resume hook on the new connection.
    case resume(Int)
    case send(PendingMessage)
    case close(CloseCode, String)
    /// Decide whether and when to try again; the number is that of the next attempt.
    case decide(WebSocketOutage, Int)
    case wait(Int, Duration)
    case finish(WebSocketError?)
  }

  /// Whether another attempt follows an outage.
  enum Decision {
    case retry(after: Duration)
    /// The outage is final.
    case end
    /// The strategy allows no more attempts.
    case giveUp
  }

  private enum Phase {
    case idle
    /// The connect closure runs.
    case creating
    case connecting
    case open(since: Duration, isResumed: Bool)
    /// The connection is ending, and the user has not closed it.
    case disconnecting(since: Duration?)
    /// The driver decides whether another attempt follows.
    case deciding
    case waiting
    /// The user has closed; the connection has not ended yet.
    case closing
    case ended
  }

  private(set) var state = ReconnectionState.idle
  /// The number of connections so far.
  private(set) var connections = 0
  /// The number of the current attempt; reports of earlier attempts are ignored.
  private(set) var attempt = 0
  private var phase = Phase.idle
  /// The number of attempts since a connection was stable.
  private var retries = 0
  /// The error of the current attempt.
  private var error: (any Error)?
  private(set) var lastClose = (code: CloseCode.abnormal, reason: "")
  private var backlog: Backlog
  private var outputs = Fifo<Output>()
  private let hasHook: Bool
  private let stableAfter: Duration

  init(_ configuration: ReconnectionConfiguration) {
    backlog = Backlog(configuration.backlog)
    hasHook = configuration.resume != nil
    stableAfter = configuration.stableAfter
  }

  var hasOutputs: Bool { !outputs.isEmpty }

  mutating func popOutput() -> Output? {
    let output = outputs.popFirst()
    // `finish` is performed last, behind the outputs that earlier ones have caused.
    guard case .finish? = output, let next = outputs.popFirst() else { return output }
    if let output { outputs.append(output) }
    return next
  }

  private mutating func setState(_ state: ReconnectionState) {
    self.state = state
    outputs.append(.state(state))
  }
}

// MARK: - The user

extension ReconnectionStateMachine {
  /// Begins to connect, the first time it is called.
  mutating func connect() {
    if case .idle = phase { begin() }
  }

  /// Begins a waiting attempt now, and counts attempts from 0 again.
  mutating func reconnectNow() {
    guard case .waiting = phase else { return }
    retries = 0
    begin()
  }

  /// Sends a message, adds it to the backlog, or throws.
  ///
  /// - Parameter ticket: of the request that it belongs to; nil for a message of `send`.
  /// - Returns: the number of messages of `send` that were accepted so far.
  @discardableResult
  mutating func send(
    _ message: WebSocketMessage, of ticket: RequestTicket? = nil
  ) throws(WebSocketError) -> Int {
    switch phase {
    case .closing, .ended: throw .notConnected(state.webSocketState)
    case .open(_, isResumed: true): outputs.append(.send(backlog.accept(message, of: ticket)))
    case .idle, .creating, .connecting, .open, .disconnecting, .deciding, .waiting:
      // While the resume hook runs, the connection is still part of an attempt.
      let state = if case .open = phase { WebSocketState.connecting } else { state.webSocketState }
      let dropped = try backlog.add(message, of: ticket, in: state)
      if let dropped { outputs.append(.report(dropped, .dropped)) }
    }
    return backlog.acceptedCount
  }

  /// Notes that a request has ended that was not sent yet.
  mutating func withdrew() { backlog.withdrew() }

  /// Closes for good.
  mutating func close(_ code: CloseCode, _ reason: String) {
    switch phase {
    case .idle, .creating, .deciding, .waiting: finish(nil)
    case .connecting, .open, .disconnecting:
      phase = .closing
      error = nil
      setState(.disconnecting)
      outputs.append(.close(code, reason))
    case .closing, .ended: break
    }
  }
}

// MARK: - An attempt

extension ReconnectionStateMachine {
  private mutating func begin() {
    attempt += 1
    phase = .creating
    error = nil
    lastClose = (.abnormal, "")
    setState(.connecting(retry: retries))
    outputs.append(.create(attempt))
  }

  /// Notes that an attempt has a WebSocket; returns false when the attempt has ended meanwhile.
  mutating func created(_ attempt: Int) -> Bool {
    guard attempt == self.attempt, case .creating = phase else { return false }
    phase = .connecting
    outputs.append(.connect(attempt))
    return true
  }

  /// Notes that an attempt failed: the closure or the hook threw, or its time has passed.
  mutating func failed(_ attempt: Int, _ error: any Error) {
    guard attempt == self.attempt else { return }
    switch phase {
    case .creating:
      self.error = error
      emitError()
      requestDecision()
    case .connecting, .open(_, isResumed: false):
      self.error = error
      phase = .disconnecting(since: nil)
      emitError()
      outputs.append(.close(.goingAway, ""))
    case .idle, .open, .disconnecting, .deciding, .waiting, .closing, .ended: break
    }
  }

  private mutating func emitError() {
    let outage = WebSocketOutage(error: error, code: .abnormal, reason: "")
    if let error = outage.webSocketError { outputs.append(.emit(.error(error))) }
  }

  /// Notes that the resume hook has returned.
  mutating func resumed(_ attempt: Int) {
    guard attempt == self.attempt, case .open(let since, isResumed: false) = phase else { return }
    open(since: since)
  }

  private mutating func open(since: Duration) {
    phase = .open(since: since, isResumed: true)
    while let next = backlog.popFirst() { outputs.append(.send(next)) }
  }

  /// Notes that a message could not be sent, mostly because the connection is ending.
  mutating func unsent(_ message: PendingMessage, _ error: WebSocketError) {
    if case .notConnected = error {
      disconnecting(attempt)
      switch phase {
      case .closing, .ended: break
      default: if backlog.requeue(message) { return }
      }
    }
    outputs.append(.report(message, .failed(error)))
  }

  /// Keeps requests of the connection that has ended for the next one, before all other messages.
  mutating func sendAgain(_ messages: [PendingMessage]) {
    if case .deciding = phase { return backlog.repeatFirst(messages) }
    for message in messages {
      outputs.append(.report(message, .failed(.notConnected(state.webSocketState))))
    }
  }
}

// MARK: - The connection

extension ReconnectionStateMachine {
  /// Handles an event of an attempt's WebSocket.
  mutating func received(
    _ event: WebSocketEvent, of attempt: Int, at now: Duration, in delivery: DeliveredEvent? = nil
  ) {
    guard attempt == self.attempt, hasSocket else { return }
    switch event {
    case .connected: connected(at: now)
    case .message(let message) where delivery != nil:
      if let delivery { outputs.append(.emitDelivered(message, delivery)) }
    case .message, .error(.closeCodeNotSendable): outputs.append(.emit(event))
    case .error(let error):
      self.error = error
      outputs.append(.emit(event))
    case .disconnected(let code, let reason): ended(code, reason, at: now)
    }
  }

  private var hasSocket: Bool {
    switch phase {
    case .connecting, .open, .disconnecting, .closing: true
    case .idle, .creating, .deciding, .waiting, .ended: false
    }
  }

  private mutating func connected(at now: Duration) {
    guard case .connecting = phase else { return }
    connections += 1
    phase = .open(since: now, isResumed: false)
    setState(.connected)
    outputs.append(.emit(.connected))
    if hasHook { outputs.append(.resume(attempt)) } else { open(since: now) }
  }

  /// Notes that the connection of an attempt is ending: nothing can be sent any more.
  mutating func disconnecting(_ attempt: Int) {
    guard attempt == self.attempt, case .open(let since, _) = phase else { return }
    phase = .disconnecting(since: since)
    setState(.disconnecting)
  }

  private mutating func ended(_ code: CloseCode, _ reason: String, at now: Duration) {
    lastClose = (code, reason)
    switch phase {
    case .open(let since, _), .disconnecting(let since?):
      if now - since >= stableAfter { retries = 0 }
      requestDecision()
    case .connecting, .disconnecting: requestDecision()
    case .closing: finish(error as? WebSocketError)
    case .idle, .creating, .deciding, .waiting, .ended: break  // There is no socket.
    }
  }

  private mutating func requestDecision() {
    phase = .deciding
    let outage = WebSocketOutage(error: error, code: lastClose.code, reason: lastClose.reason)
    outputs.append(.decide(outage, retries))
  }

  /// Applies the decision on an outage.
  mutating func decided(_ outage: WebSocketOutage, _ decision: Decision) {
    guard case .deciding = phase else { return }
    let error = outage.webSocketError
    switch decision {
    case .retry(let delay):
      phase = .waiting
      retries += 1
      setState(.waitingToReconnect(retry: retries, delay: delay, error: error))
      outputs.append(.emit(.disconnected(code: outage.code, reason: outage.reason)))
      outputs.append(.wait(attempt, delay))
    case .end: finish(error)
    case .giveUp where retries == 0: finish(error)
    case .giveUp:
      let last = WebSocketError.gaveUp(attempts: retries, last: error)
      outputs.append(.emit(.error(last)))
      finish(last)
    }
  }

  /// Begins the next attempt, after the wait that followed an attempt.
  mutating func waited(after attempt: Int) {
    guard attempt == self.attempt, case .waiting = phase else { return }
    begin()
  }

  private mutating func finish(_ error: WebSocketError?) {
    let isReported = if case .waiting = phase { true } else { false }
    phase = .ended
    setState(.disconnected(error))
    while let next = backlog.popFirst() {
      outputs.append(.report(next, .failed(error ?? .notConnected(.disconnected))))
    }
    if !isReported {
      outputs.append(.emit(.disconnected(code: lastClose.code, reason: lastClose.reason)))
    }
    outputs.append(.finish(error))
  }
}
