/// Decides what a reconnecting WebSocket does next: a plain value.
///
/// The reconnector locks it, reports what happened, unlocks, and performs its steps in order, one
/// at a time.
///
///     idle -> dialing -> connecting -> open -> leaving -> judging -> waiting -.
///               ^   `---------`----------------------------^                   |
///               `--------------------------------------------------------------'
///     closing: this side closes a connection;  over: reached from any phase
struct ReconnectionPlan {
  /// A step that the reconnector performs.
  enum Step: Sendable {
    case state(ReconnectionState)
    case emit(WebSocketEvent)
    case emitOutcome(SendOutcome)
    /// Create a WebSocket for the attempt of this number.
    case dial(Int)
    /// Subscribe to the WebSocket that was created, and connect it.
    case connect(Int)
    /// Run the resume hook on the new connection.
    case resume(Int)
    case send(PendingMessage)
    case close(CloseCode, String)
    /// Decide whether and when to try again; the number is that of the next attempt.
    case judge(WebSocketOutage, Int)
    case wait(Int, Duration)
    case finish(WebSocketError?)
  }

  /// Whether another attempt follows.
  enum Verdict {
    case again(after: Duration)
    case isOver
    /// The strategy's attempts are used up.
    case givenUp
  }

  private enum Phase {
    case idle
    /// The connect closure runs.
    case dialing
    case connecting
    case open(since: Duration, isResumed: Bool)
    /// The connection is ending, and the user has not closed it.
    case leaving(since: Duration?)
    case judging
    case waiting
    /// The user has closed; the connection has not ended yet.
    case closing
    case over
  }

  private(set) var state = ReconnectionState.idle
  /// The number of connections so far.
  private(set) var connections = 0
  /// The number of the current attempt; reports of earlier attempts are ignored.
  private(set) var attempt = 0
  private var phase = Phase.idle
  /// The number of attempts since a connection was stable.
  private var retries = 0
  private var problem: (any Error)?
  private var lastClose = (code: CloseCode.abnormal, reason: "")
  private var backlog: Backlog
  private var steps = Fifo<Step>()
  private let hasHook: Bool
  private let stableAfter: Duration

  init(_ configuration: ReconnectionConfiguration) {
    backlog = Backlog(configuration.backlog)
    hasHook = configuration.resume != nil
    stableAfter = configuration.stableAfter
  }

  var hasSteps: Bool { !steps.isEmpty }

  /// Removes the next step to perform.
  mutating func popStep() -> Step? {
    let step = steps.popFirst()
    // `finish` is performed last: steps that performing earlier ones has added go before it.
    guard case .finish? = step, let next = steps.popFirst() else { return step }
    if let step { steps.append(step) }
    return next
  }

  private mutating func advance(to state: ReconnectionState) {
    self.state = state
    steps.append(.state(state))
  }
}

// MARK: - The user

extension ReconnectionPlan {
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
  mutating func send(_ message: WebSocketMessage) throws(WebSocketError) {
    switch phase {
    case .closing, .over: throw .notConnected(state.webSocketState)
    case .open(_, isResumed: true): steps.append(.send(backlog.number(message)))
    case .idle, .dialing, .connecting, .open, .leaving, .judging, .waiting:
      // While the resume hook runs, the connection is still part of an attempt.
      let state = if case .open = phase { WebSocketState.connecting } else { state.webSocketState }
      let dropped = try backlog.add(message, in: state)
      if let dropped { steps.append(.emitOutcome(dropped.outcome(.dropped))) }
    }
  }

  /// Closes for good.
  mutating func close(_ code: CloseCode, _ reason: String) {
    switch phase {
    case .idle, .dialing, .judging, .waiting: finish(nil)
    case .connecting, .open, .leaving:
      phase = .closing
      problem = nil
      advance(to: .disconnecting)
      steps.append(.close(code, reason))
    case .closing, .over: break
    }
  }
}

// MARK: - An attempt

extension ReconnectionPlan {
  private mutating func begin() {
    attempt += 1
    phase = .dialing
    problem = nil
    lastClose = (.abnormal, "")
    advance(to: .connecting(retry: retries))
    steps.append(.dial(attempt))
  }

  /// Notes that an attempt has a WebSocket; returns false when the attempt has ended meanwhile.
  mutating func dialed(_ attempt: Int) -> Bool {
    guard attempt == self.attempt, case .dialing = phase else { return false }
    phase = .connecting
    steps.append(.connect(attempt))
    return true
  }

  /// Notes that an attempt failed: the closure or the hook threw, or its time has passed.
  mutating func failed(_ attempt: Int, _ error: any Error) {
    guard attempt == self.attempt else { return }
    switch phase {
    case .dialing:
      problem = error
      tellProblem()
      judge()
    case .connecting, .open(_, isResumed: false):
      problem = error
      phase = .leaving(since: nil)
      tellProblem()
      steps.append(.close(.goingAway, ""))
    case .idle, .open, .leaving, .judging, .waiting, .closing, .over: break
    }
  }

  private mutating func tellProblem() {
    let outage = WebSocketOutage(error: problem, code: .abnormal, reason: "")
    if let error = outage.webSocketError { steps.append(.emit(.error(error))) }
  }

  /// Notes that the resume hook has returned.
  mutating func resumed(_ attempt: Int) {
    guard attempt == self.attempt, case .open(let since, isResumed: false) = phase else { return }
    open(since: since)
  }

  private mutating func open(since: Duration) {
    phase = .open(since: since, isResumed: true)
    while let next = backlog.popFirst() { steps.append(.send(next)) }
  }

  /// Notes that a message could not be sent, mostly because the connection is ending.
  mutating func unsent(_ message: PendingMessage, _ error: WebSocketError) {
    if case .notConnected = error {
      left(attempt)
      switch phase {
      case .closing, .over: break
      default: if backlog.takeBack(message) { return }
      }
    }
    steps.append(.emitOutcome(message.outcome(.failed(error))))
  }
}

// MARK: - The connection

extension ReconnectionPlan {
  /// Handles an event of an attempt's WebSocket.
  mutating func received(_ event: WebSocketEvent, of attempt: Int, at now: Duration) {
    guard attempt == self.attempt, hasSocket else { return }
    switch event {
    case .connected: connected(at: now)
    case .message: steps.append(.emit(event))
    case .error(.closeCodeNotSendable): steps.append(.emit(event))
    case .error(let error):
      problem = error
      steps.append(.emit(event))
    case .disconnected(let code, let reason): ended(code, reason, at: now)
    }
  }

  private var hasSocket: Bool {
    switch phase {
    case .connecting, .open, .leaving, .closing: true
    case .idle, .dialing, .judging, .waiting, .over: false
    }
  }

  private mutating func connected(at now: Duration) {
    guard case .connecting = phase else { return }
    connections += 1
    phase = .open(since: now, isResumed: false)
    advance(to: .connected)
    steps.append(.emit(.connected))
    if hasHook { steps.append(.resume(attempt)) } else { open(since: now) }
  }

  /// Notes that the connection of an attempt is ending: nothing can be sent any more.
  mutating func left(_ attempt: Int) {
    guard attempt == self.attempt, case .open(let since, _) = phase else { return }
    phase = .leaving(since: since)
    advance(to: .disconnecting)
  }

  private mutating func ended(_ code: CloseCode, _ reason: String, at now: Duration) {
    lastClose = (code, reason)
    switch phase {
    case .open(let since, _), .leaving(let since?):
      if now - since >= stableAfter { retries = 0 }
      judge()
    case .connecting, .leaving: judge()
    case .closing: finish(problem as? WebSocketError)
    case .idle, .dialing, .judging, .waiting, .over: break  // There is no socket.
    }
  }

  private mutating func judge() {
    phase = .judging
    let outage = WebSocketOutage(error: problem, code: lastClose.code, reason: lastClose.reason)
    steps.append(.judge(outage, retries))
  }

  /// Applies the verdict on an outage.
  mutating func judged(_ outage: WebSocketOutage, _ verdict: Verdict) {
    guard case .judging = phase else { return }
    let error = outage.webSocketError
    switch verdict {
    case .again(let delay):
      phase = .waiting
      retries += 1
      advance(to: .waitingToReconnect(retry: retries, delay: delay, error: error))
      steps.append(.emit(.disconnected(code: outage.code, reason: outage.reason)))
      steps.append(.wait(attempt, delay))
    case .isOver: finish(error)
    case .givenUp where retries == 0: finish(error)
    case .givenUp:
      let last = WebSocketError.gaveUp(attempts: retries, last: error)
      steps.append(.emit(.error(last)))
      finish(last)
    }
  }

  /// Begins the next attempt, after the wait that followed an attempt.
  mutating func waited(after attempt: Int) {
    guard attempt == self.attempt, case .waiting = phase else { return }
    begin()
  }

  private mutating func finish(_ error: WebSocketError?) {
    let isTold = if case .waiting = phase { true } else { false }
    phase = .over
    advance(to: .disconnected(error))
    while let next = backlog.popFirst() {
      steps.append(.emitOutcome(next.outcome(.failed(error ?? .notConnected(.disconnected)))))
    }
    if !isTold {
      steps.append(.emit(.disconnected(code: lastClose.code, reason: lastClose.reason)))
    }
    steps.append(.finish(error))
  }
}
