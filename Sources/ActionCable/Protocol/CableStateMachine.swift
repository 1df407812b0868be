/// The connection, the channels and the calls of a cable.
///
/// Every socket has a generation; inputs of an older generation are ignored.
struct CableStateMachine: StateMachine {
  typealias SubscriberID = Int

  enum Output: Hashable {
    case open(generation: Int)
    case send(String)
    /// Sends a call, and reports the position of its end.
    case call(number: Int, String)
    /// Sends a ping behind the call with this number.
    case ping(number: Int)
    /// Closes the current socket for good, and reports how many of its bytes were written.
    case close(generation: Int)
    /// Calls `tick` at this time, and not at a later one that was requested before.
    case wake(at: Duration)
    case state(CableState)
    case event(CableEvent)
    case channelState(SubscriberID, CableChannelState)
    case channelEvent(SubscriberID, CableChannelEvent)
    /// Ends all streams.
    case end
  }

  private enum Link {
    case none
    case connecting
    case awaitingWelcome
    case connected(since: Duration)
  }

  /// The delay between giving up a socket and opening the next one.
  static let reopenDelay = Duration.milliseconds(500)

  private(set) var state = CableState.idle
  /// The number of messages that arrived for identifiers without a subscriber.
  private(set) var unwantedMessageCount = 0
  var channels: CableChannels
  private var outputs = Fifo<Output>()
  /// When the driver's timer fires; nil without one.
  private var wakeTime: Duration?
  private var link = Link.none
  private var generation = 0
  /// The calls of closed connections whose sockets have not ended yet, by generation.
  private var closing: [Int: UnconfirmedCalls] = [:]
  private var attempt = 0
  private var wasConnected = false
  private var lastMessage = Duration.zero
  private var reopensAt: Duration?
  private var monitor = CableMonitor()
  private let reconnects: Bool
  private let reconnectJitter: Duration?
  /// Returns a number from 0 up to, not including, 1.
  private let random: @Sendable () -> Double

  init(_ configuration: CableConfiguration, random: @escaping @Sendable () -> Double) {
    channels = CableChannels(
      timeout: configuration.subscriptionTimeout,
      unconfirmedCallLimit: configuration.unconfirmedCallLimit
    )
    reconnects = configuration.reconnects
    reconnectJitter = configuration.reconnectJitter
    self.random = random
  }

  /// When `tick` is due; nil for never.
  var due: Duration? {
    [monitor.nextPoll, reopensAt, channels.due, channels.pongDue].lazy.compactMap { $0 }.min()
  }

  var hasOutputs: Bool { !outputs.isEmpty || channels.hasOutputs || earlierWakeTime != nil }

  mutating func popOutput() -> Output? {
    addChannelOutputs()
    if let output = outputs.popFirst() { return output }
    guard let time = earlierWakeTime else { return nil }
    wakeTime = time
    return .wake(at: time)
  }

  /// When `tick` is due, if the timer fires later or not at all.
  private var earlierWakeTime: Duration? {
    guard let due else { return nil }
    if let wakeTime, wakeTime <= due { return nil }
    return due
  }

  // MARK: The user

  mutating func connect(_ now: Duration) {
    if case .none = link { open(now) }
  }

  mutating func disconnect(_ now: Duration) {
    monitor.stop()
    reopensAt = nil
    wasConnected = false
    attempt = 0
    switch link {
    case .none: if state == .waitingToReconnect { setState(.disconnected(.requested)) }
    case .connecting, .awaitingWelcome, .connected: end(.requested, now)
    }
  }

  /// Checks the connection now instead of at the next poll.
  mutating func reconnectNow(_ now: Duration) {
    guard willReconnect else { return }
    switch link {
    case .none: open(now)
    case .connecting: break
    case .awaitingWelcome, .connected:
      guard now - lastMessage > CableMonitor.staleThreshold else { return }
      end(.stale, now)
      open(now)
    }
  }

  // MARK: The socket

  /// Handles the opening of the socket.
  mutating func opened(_ generation: Int, subprotocol: String?, _ now: Duration) {
    guard generation == self.generation, case .connecting = link else { return }
    link = .awaitingWelcome
    lastMessage = now
    // Without reconnecting this is the only attempt, so its time for the welcome begins here.
    if !reconnects { monitor.noteMessage(now) }
    guard subprotocol == CableConfiguration.subprotocol else {
      monitor.stop()
      return end(.failed(.unsupportedProtocol(subprotocol)), now)
    }
    setState(.awaitingWelcome)
  }

  /// Handles the end of the socket, or a failure to create it.
  mutating func closed(_ generation: Int, _ cause: CableDisconnection.Cause, _ now: Duration) {
    guard generation == self.generation else { return }
    switch link {
    case .none: return
    case .connecting:
      link = .none
      // Another attempt with a wrong URL would fail too.
      if case .failed(.socket(.invalidURL)) = cause { monitor.stop() }
      if case .failed(let error) = cause {
        emit(.event(.attemptFailed(error, willRetry: willReconnect)))
      }
      setState(willReconnect ? .waitingToReconnect : .disconnected(cause))
      if willReconnect { return }
      monitor.stop()
      // Before the welcome no calls were sent, so there are none to report.
      _ = channels.disconnected(.init(cause: cause, willReconnect: false), now)
    case .awaitingWelcome, .connected:
      let reopensEarly = wasStable(now)
      end(cause, now)
      if reopensEarly { scheduleEarlyReopen(now) }
    }
  }

  /// Handles a message, from which `frame` was parsed.
  mutating func received(
    _ frame: CableFrame?, in message: WebSocketMessage, _ generation: Int, _ now: Duration
  ) {
    guard generation == self.generation else { return }
    // Until the welcome nothing else shows that the server serves this connection.
    if case .awaitingWelcome = link, frame != .welcome {} else { noteMessage(now) }
    guard let frame else { return emit(.event(.notUnderstood(message))) }
    channels.messageReceived(now)
    switch frame {
    case .welcome: welcome(now)
    case .ping: emit(.event(.ping))
    case .disconnect(let reason, let reconnect):
      let reopensEarly = reconnect && wasStable(now)
      if !reconnect { monitor.stop() }
      end(.announced(reason: reason), now)
      if reopensEarly { scheduleEarlyReopen(now) }
    case .confirmation(let identifier): channels.confirm(identifier, now)
    case .rejection(let identifier): channels.reject(identifier, now)
    case .message(let identifier, let message):
      if !channels.deliver(message, to: identifier) { unwantedMessageCount += 1 }
    }
  }

  // MARK: Calls

  /// Notes that the call with this number was passed to the socket.
  ///
  /// - Parameter end: lowest possible position of the call's end in the connection's bytes; `.max`
  ///   when the socket did not accept the call.
  mutating func callSent(_ number: Int, end: Int) {
    if channels.callSent(number, end: end) { return }
    for key in closing.keys where closing[key]?.contains(number) == true {
      closing[key]?.callSent(end: end)
    }
  }

  /// Handles the pong of the ping behind this call.
  mutating func pongReceived(_ number: Int, _ generation: Int, _ now: Duration) {
    if generation == self.generation { channels.pongReceived(number, now) }
  }

  /// Reports the failed calls of a closed connection whose outcome is known.
  ///
  /// - Parameters:
  ///   - written: how many bytes of the connection are written, at most.
  ///   - isFinal: whether no more bytes will be written.
  /// - Returns: whether there are calls that may still be written.
  mutating func reportFailedCalls(_ generation: Int, written: Int, isFinal: Bool) -> Bool {
    guard var calls = closing.removeValue(forKey: generation) else { return false }
    channels.report(calls.takeWritten(written), failedWith: .mayBeLost)
    if isFinal { channels.report(calls.takeAll(), failedWith: .neverWritten) }
    if !calls.isEmpty { closing[generation] = calls }
    return !calls.isEmpty
  }

  /// Handles the client's release: disconnects, and reports all calls at once.
  mutating func end(_ now: Duration) {
    disconnect(now)
    for key in closing.keys.sorted() {
      guard var calls = closing.removeValue(forKey: key) else { continue }
      channels.report(calls.takeAll(), failedWith: .mayBeLost)
    }
    channels.failBufferedCalls()
    emit(.end)
  }

  // MARK: Time

  /// Performs what is due.
  mutating func tick(_ now: Duration) {
    wakeTime = nil
    if let reopensAt, reopensAt <= now { open(now) }
    if monitor.poll(now, random) {
      switch link {
      case .none: open(now)
      // A connecting socket has its own deadline.
      case .connecting: break
      case .awaitingWelcome, .connected: giveUp(now)
      }
    } else if let pongDue = channels.pongDue, pongDue <= now, case .connected = link {
      // Messages of the server arrive, and nothing reaches it.
      giveUp(now)
    }
    channels.tick(now)
  }

  // MARK: Steps

  /// Whether another connection follows the current one.
  private var willReconnect: Bool { reconnects && monitor.isRunning }

  private mutating func open(_ now: Duration) {
    reopensAt = nil
    guard case .none = link else { return }
    generation += 1
    attempt += 1
    link = .connecting
    monitor.start(now, random)
    setState(.connecting(attempt: attempt))
    emit(.open(generation: generation))
  }

  private mutating func noteMessage(_ now: Duration) {
    lastMessage = now
    monitor.noteMessage(now)
  }

  private mutating func welcome(_ now: Duration) {
    guard case .awaitingWelcome = link else { return }
    link = .connected(since: now)
    attempt = 0
    monitor.noteWelcome()
    setState(.connected)
    emit(.event(.connected(reconnected: wasConnected)))
    channels.welcome(now, isReconnect: wasConnected)
    wasConnected = true
  }

  /// Ends a connection that carries nothing, and opens another one soon.
  private mutating func giveUp(_ now: Duration) {
    end(.stale, now)
    if willReconnect { reopensAt = now + Self.reopenDelay }
  }

  /// Ends the current connection; inputs of its socket are ignored from here on.
  private mutating func end(_ cause: CableDisconnection.Cause, _ now: Duration) {
    link = .none
    let ended = generation
    generation += 1
    monitor.noteDisconnect(now)
    let ending = CableDisconnection(cause: cause, willReconnect: willReconnect)
    if !ending.willReconnect {
      monitor.stop()
      wasConnected = false
    }
    emit(.close(generation: ended))
    setState(ending.willReconnect ? .waitingToReconnect : .disconnected(cause))
    emit(.event(.disconnected(ending)))
    let calls = channels.disconnected(ending, now)
    if !calls.isEmpty { closing[ended] = calls }
  }

  /// Whether the connection lasted long enough for an early reconnect.
  private func wasStable(_ now: Duration) -> Bool {
    guard case .connected(let since) = link else { return false }
    return now - since > CableMonitor.staleThreshold
  }

  private mutating func scheduleEarlyReopen(_ now: Duration) {
    guard let reconnectJitter, willReconnect else { return }
    let jitter = Double(reconnectJitter / .microseconds(1)) * random()
    // A century at most: a longer one is beyond the range of an Int64.
    reopensAt = now + Self.reopenDelay + .microseconds(Int64(min(jitter, 3.2e15)))
  }

  private mutating func setState(_ state: CableState) {
    self.state = state
    emit(.state(state))
  }

  /// Adds an output behind those of the channels, which were caused before it.
  private mutating func emit(_ output: Output) {
    addChannelOutputs()
    outputs.append(output)
  }

  private mutating func addChannelOutputs() {
    for output in channels.takeOutputs() { outputs.append(output) }
  }
}
