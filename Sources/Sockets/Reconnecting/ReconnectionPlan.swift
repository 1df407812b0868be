/// What a reconnecting WebSocket does next: a plain value that decides.
///
/// The shell locks it, tells it what happened, unlocks, and performs its steps in order, one at a
/// time.
///
///     idle -> dialing -> connecting -> open -> leaving -> judging -> waiting -.
///               ^   `---------`----------------------------^                   |
///               `--------------------------------------------------------------'
///     closing: this side closes a connection;  over: from anywhere
struct ReconnectionPlan {
  /// What the shell is to do.
  enum Step: Sendable {
    case status(ReconnectionStatus)
    case emit(WebSocketEvent)
    case emitOutcome(SendOutcome)
    /// Make a WebSocket, for the attempt of this number.
    case dial(Int)
    /// Observe the WebSocket that was made, and connect it.
    case connect(Int)
    /// Run the hook on the new connection.
    case resume(Int)
    case send(PendingMessage)
    case close(CloseCode, String)
    /// Find out whether and when to try again; the number is that of the next attempt since a
    /// failure.
    case judge(WebSocketOutage, Int)
    case wait(Int, Duration)
    case finish(WebSocketError?)
  }

  /// Whether to try again.
  enum Verdict {
    case again(after: Duration)
    case isOver
    /// As many attempts as the strategy has.
    case givenUp
  }

  private enum Phase {
    case idle
    /// The connect closure runs.
    case dialing
    case connecting
    case open(since: Duration, isResumed: Bool)
    /// The connection is ending, and not by the user's wish.
    case leaving(since: Duration?)
    case judging
    case waiting
    /// The user has closed; the connection's end is to come.
    case closing
    case over
  }

  private(set) var status = ReconnectionStatus.idle
  /// How many connections there were.
  private(set) var connections = 0
  /// The number of the attempt: what is heard of an earlier one does not count.
  private(set) var attempt = 0
  private var phase = Phase.idle
  /// How many attempts there were since a connection held.
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

  /// Takes the next step to perform.
  mutating func popStep() -> Step? {
    let step = steps.popFirst()
    // The end comes last: what performing the steps before it has led to is still told.
    guard case .finish? = step, let next = steps.popFirst() else { return step }
    if let step { steps.append(step) }
    return next
  }

  private mutating func advance(to status: ReconnectionStatus) {
    self.status = status
    steps.append(.status(status))
  }
}

// MARK: - The user

extension ReconnectionPlan {
  /// Begins; the first time.
  mutating func start() {
    if case .idle = phase { begin() }
  }

  /// Tries now what would be tried later, and counts attempts from 0 again.
  mutating func reconnectNow() {
    guard case .waiting = phase else { return }
    retries = 0
    begin()
  }

  /// Takes a message: it is sent now, waits, or is refused.
  mutating func send(_ message: WebSocketMessage) throws(WebSocketError) {
    switch phase {
    case .closing, .over: throw .notConnected(status.state)
    case .open(_, isResumed: true): steps.append(.send(backlog.number(message)))
    case .idle, .dialing, .connecting, .open, .leaving, .judging, .waiting:
      // As long as its hook runs, a connection is an attempt.
      let state = if case .open = phase { WebSocketState.connecting } else { status.state }
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

  /// There is a WebSocket for an attempt; false when nobody wants it any more.
  mutating func dialed(_ attempt: Int) -> Bool {
    guard attempt == self.attempt, case .dialing = phase else { return false }
    phase = .connecting
    steps.append(.connect(attempt))
    return true
  }

  /// An attempt has failed: the closure or the hook has thrown, or the time is over.
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

  /// The hook has run.
  mutating func resumed(_ attempt: Int) {
    guard attempt == self.attempt, case .open(let since, isResumed: false) = phase else { return }
    open(since: since)
  }

  private mutating func open(since: Duration) {
    phase = .open(since: since, isResumed: true)
    while let next = backlog.popFirst() { steps.append(.send(next)) }
  }

  /// A message could not be sent after all, mostly because the connection is ending.
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
  /// What the WebSocket of an attempt tells.
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

  /// The connection of an attempt is ending: nothing can be sent any more.
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

  /// What is to become of it after an outage.
  mutating func judged(_ outage: WebSocketOutage, _ verdict: Verdict) {
    guard case .judging = phase else { return }
    let error = outage.webSocketError
    switch verdict {
    case .again(let delay):
      phase = .waiting
      retries += 1
      advance(to: .waiting(retry: retries, delay: delay, error: error))
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

  /// The wait after an attempt is over.
  mutating func waited(after attempt: Int) {
    guard attempt == self.attempt, case .waiting = phase else { return }
    begin()
  }

  private mutating func finish(_ error: WebSocketError?) {
    let isTold = if case .waiting = phase { true } else { false }
    phase = .over
    advance(to: .ended(error))
    while let next = backlog.popFirst() {
      steps.append(.emitOutcome(next.outcome(.failed(error ?? .notConnected(.disconnected)))))
    }
    if !isTold {
      steps.append(.emit(.disconnected(code: lastClose.code, reason: lastClose.reason)))
    }
    steps.append(.finish(error))
  }
}
