/// Connects the WebSockets that a reconnecting WebSocket's state machine asks for.
///
/// The outputs are performed where the clock runs, not on the thread that caused them: observers,
/// closures and sockets are called there.
final class ReconnectionDriver: StateMachineDriver {
  typealias Connect = @Sendable () async throws -> any WebSocketType

  let states = ReplayingHub<ReconnectionState>(value: .idle)
  let events = ReplayingHub<WebSocketEvent>(capacity: keptCount, handsOver: true)
  let messages = ReplayingHub<WebSocketMessage>(capacity: keptCount, handsOver: true)
  let sendOutcomes = ReplayingHub<SendOutcome>(capacity: 0)

  /// The number of elements that are kept for the first observer.
  private static let keptCount = 16

  /// Takes the replies out of the messages; created for the first request.
  private let requests = LazyReference<PendingRequests>()

  let content: Locked<DrivenStateMachine<ReconnectionStateMachine>>
  /// The socket of the current attempt, and the name of the last one in the log.
  let current = Locked<(socket: (any WebSocketType)?, name: String)>((nil, ""))
  private let connect: Connect
  private let strategy: ReconnectionStrategy
  private let configuration: ReconnectionConfiguration
  private let log: WebSocketLog
  private let clock: LoopClock
  /// The dependencies and executor of the composer or test, which the closures find in their task.
  private let context: EffectContext
  private let random: @Sendable () -> Double
  /// The current timer: the limit of an attempt, or the delay before the next one.
  private let timer = SerialDisposable()
  /// The connect closure or resume hook that runs.
  private let task = SerialDisposable()
  /// The subscriptions to the current socket.
  private let observation = SerialDisposable()

  init(
    _ connect: @escaping Connect,
    _ strategy: ReconnectionStrategy,
    _ log: WebSocketLog,
    _ configuration: ReconnectionConfiguration
  ) {
    let here = EffectContext.ambient
    var dependencies = Dependencies.current
    let scheduler = configuration.scheduler ?? dependencies.injectedClock
    if let scheduler { dependencies.clock = scheduler }
    (self.connect, self.strategy, self.log) = (connect, strategy, log)
    self.configuration = configuration
    content = Locked(DrivenStateMachine(ReconnectionStateMachine(configuration)))
    clock = LoopClock(loop: .shared, scheduler: scheduler)
    context = EffectContext(dependencies, here?.taskExecutor)
    random = configuration.random ?? dependencies.random.fraction
  }

  var state: ReconnectionState { read { $0.state } }
  var connections: Int { read { $0.connections } }
  var socket: (any WebSocketType)? { current.withLock { $0.socket } }

  func startPerforming() {
    guard let scheduler = clock.scheduler else {
      return clock.loop.execute { self.performOutputs() }
    }
    _ = scheduler.schedule(()) {
      self.performOutputs()
      return Disposables.create()
    }
  }

  func perform(_ output: ReconnectionStateMachine.Output) {
    switch output {
    case .state(let state):
      logState(state)
      if SocketTaps.areObserved { SocketTaps.report(.reconnection(state), of: self) }
      states.next(state)
    case .emit(let event): emit(event)
    case .emitDelivered(let message, let delivery): delivery.resume { emit(.message(message)) }
    case .report(let message, let outcome): report(message, outcome)
    case .create(let attempt): createSocket(attempt)
    case .connect(let attempt): observe(attempt)
    case .resume(let attempt): resume(attempt)
    case .send(let message): send(message)
    case .close(let code, let reason): socket?.close(code: code, reason: reason)
    case .decide(let outage, let retries):
      endAttempt()
      loseRequests(outage)
      let decision = decision(on: outage, retries)
      update { $0.decided(outage, decision) }
    case .wait(let attempt, let delay):
      timer.disposable = clock.afterAnywhere(delay) { [weak self] in
        self?.update { $0.waited(after: attempt) }
      }
    case .finish(let error):
      endAttempt()
      for serial in [timer, task, observation] { serial.dispose() }
      let close = read { $0.lastClose }
      requests.object?.connectionEnded(error ?? .closed(code: close.code, reason: close.reason))
      for hub in [states.hub, sendOutcomes.hub] as [HubCore] { hub.end(nil) }
      messages.hub.end(error)
      events.hub.end(nil)
    }
  }

  private func emit(_ event: WebSocketEvent) {
    if case .message(let message) = event {
      if requests.object?.take(message) == true { return }
      messages.next(message)
    }
    events.next(event)
  }

  /// Releases the socket, the timer and the task of an attempt that has ended.
  private func endAttempt() {
    for serial in [timer, task, observation] { serial.disposable = Disposables.create() }
    // Released after unlocking.
    _ = current.withLock { $0.socket.take() }
  }

  private func decision(
    on outage: WebSocketOutage, _ retries: Int
  ) -> ReconnectionStateMachine.Decision {
    guard configuration.shouldReconnect(outage) else { return .end }
    guard let delay = strategy.delay(before: retries, random: random()) else {
      return .giveUp
    }
    return .retry(after: max(delay, outage.retryAfter(at: clock.date) ?? .zero))
  }
}

// MARK: - Requests

extension ReconnectionDriver {
  var pendingRequests: PendingRequests {
    requests.object {
      let queue = RequestQueue(
        send: { [weak self] message, ticket throws(WebSocketError) in
          guard let self else { throw .notConnected(.disconnected) }
          try update { machine throws(WebSocketError) in try machine.send(message, of: ticket) }
        },
        withdrew: { [weak self] in self?.update { $0.withdrew() } })
      return PendingRequests(clock: clock, queue: queue)
    }
  }

  /// Fails the requests of a connection that has ended, or keeps them for the next one.
  private func loseRequests(_ outage: WebSocketOutage) {
    guard let requests = requests.object else { return }
    let error = outage.webSocketError ?? .closed(code: outage.code, reason: outage.reason)
    let repeated = requests.connectionLost(error).map { ticket, message in
      PendingMessage(origin: .request(ticket), message: message)
    }
    if !repeated.isEmpty { update { $0.sendAgain(repeated) } }
  }
}

// MARK: - An attempt

extension ReconnectionDriver {
  private func createSocket(_ attempt: Int) {
    let limit = configuration.attemptTimeout
    timer.disposable = clock.afterAnywhere(limit) { [weak self] in
      self?.update { $0.failed(attempt, WebSocketError.handshakeTimedOut(after: limit)) }
    }
    run(attempt) {
      let isNamed = self.log.level != nil
      let socket = try await SharedOptions.$areNamed.withValue(isNamed, operation: self.connect)
      let isCurrent = self.update { machine in
        guard machine.created(attempt) else { return false }
        // Stored under the machine's lock: the next output uses the socket.
        let name = (socket as? WebSocket)?.driver.options.name ?? ""
        self.current.withLock { $0 = (socket, name) }
        return true
      }
      if !isCurrent { socket.close(code: .goingAway) }
    }
  }

  private func observe(_ attempt: Int) {
    guard let socket else { return }
    let received: @Sendable (WebSocketEvent) -> Void = { [self] event in
      let now = clock.now
      // The message is emitted later, where the clock runs: what it causes has it as its cause then too.
      let delivery = SocketTaps.areObserved ? DeliveredEvent.current : nil
      update { $0.received(event, of: attempt, at: now, in: delivery) }
    }
    // `events` emits everything, except that the connection is ending: only `states` shows that.
    let states = socket.states.subscribe(onNext: { [self] state in
      switch state {
      // The connect closure may have connected the socket, and received this event itself.
      case .connected: received(.connected)
      case .disconnecting: update { $0.disconnecting(attempt) }
      case .idle, .connecting, .disconnected: break
      }
    })
    let events = socket.events.subscribe(
      onNext: received,
      // If the connect closure received the end too, only the completion reports the end.
      onCompleted: { received(.disconnected(code: .abnormal, reason: "")) }
    )
    observation.disposable = Disposables.create(states, events)
    socket.connect()
  }

  private func resume(_ attempt: Int) {
    guard let socket, let hook = configuration.resume else { return }
    run(attempt) {
      try await hook(socket)
      self.update { $0.resumed(attempt) }
    }
  }

  /// Runs a closure of the user until it returns or the attempt ends.
  private func run(_ attempt: Int, _ body: @escaping @Sendable () async throws -> Void) {
    let running = EffectContext.$current.withValue(context) {
      Task(executorPreference: context.taskExecutor ?? TestProcessExecutor.preference) {
        do { try await body() } catch { self.update { $0.failed(attempt, error) } }
      }
    }
    task.disposable = Disposables.create { running.cancel() }
  }

  private func send(_ pending: PendingMessage) {
    let ticket = pending.ticket
    // Before it is sent: the reply may arrive before `send` returns.
    if let ticket, requests.object?.beginSending(ticket) == false { return }
    do throws(WebSocketError) {
      guard let socket else { throw .notConnected(.disconnected) }
      try socket.send(pending.message)
      report(pending, .sent)
    } catch {
      if let ticket { requests.object?.sendingFailed(ticket) }
      update { $0.unsent(pending, error) }
    }
  }

  private func report(_ pending: PendingMessage, _ outcome: SendOutcome.Outcome) {
    switch (pending.origin, outcome) {
    case (.send(let number), _):
      sendOutcomes.next(
        SendOutcome(number: number, message: pending.message, outcome: outcome))
    case (.request, .sent): break
    case (.request(let ticket), .dropped):
      requests.object?.fail(ticket, .backlogFull(limit: configuration.backlog.limit))
    case (.request(let ticket), .failed(let error)): requests.object?.fail(ticket, error)
    }
  }

  private func logState(_ state: ReconnectionState) {
    let limit = strategy.maxAttempts.map { " of \($0)" } ?? ""
    switch state {
    case .idle: break
    case .connecting(retry: 0): log(.debug, "connecting")
    case .connecting(let retry): log(.info, "connecting again, attempt \(retry)\(limit)")
    case .connected: log(.info, "connected")
    case .disconnecting: log(.debug, "disconnecting")
    case .waitingToReconnect(let retry, let delay, let error):
      let cause = error.map { "\($0)" } ?? "the peer closed"
      let seconds = (delay / .seconds(1) * 100).rounded() / 100
      log(
        .warning, "disconnected: \(cause); attempt \(retry)\(limit) in \(seconds) seconds",
        error: error)
    case .disconnected(let error?):
      log(.error, "disconnected for good: \(error)", error: error)
    case .disconnected(nil): log(.info, "disconnected for good")
    }
  }

  private func log(
    _ level: WebSocketLog.Level, _ message: @autoclosure () -> String, error: (any Error)? = nil
  ) {
    log.write(level) {
      let name = current.withLock { $0.name }
      return WebSocketLog.Entry(level, message(), of: .client(name), error: error)
    }
  }
}
