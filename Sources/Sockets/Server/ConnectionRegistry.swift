/// The connections of a server, from the moment they are accepted.
///
/// The drivers report their states to it, which is cheaper than one observer per connection.
final class ConnectionRegistry: Sendable {
  // Ended connections are removed in batches, so there are few more here than may be open.
  let connections = ReplayingHub<WebSocket>(capacity: .max, handsOver: true)

  /// A counted connection, before it is made: its loop and its client.
  struct Slot: Sendable {
    let loop: EventLoop
    let remoteClient: RemoteClient
    /// Whether the connection is refused because the server is full.
    let isFull: Bool
  }

  private struct State {
    var isServing = true
    /// When the log last reported that no connection can be accepted.
    var lastShortage: Duration?
    /// How many connections were accepted since the start.
    var accepted = 0
    /// How many connections exist, including those on their way to their loop.
    var count = 0
    /// How many connections each loop has.
    var loads: [ObjectIdentifier: Int]
    /// The connections, by the identity of their drivers.
    var open: [ObjectIdentifier: WebSocket] = [:]
    /// The numbers of the connections on a simulated host; empty on a real one.
    var hostNumbers: [ObjectIdentifier: Int] = [:]
    /// The tasks that wait until no connection is open.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The totals of ended connections, and the counts of opened ones and of answers.
    var ended = WebSocketServerTotals()

    /// The connections, on a simulated host in the order in which they were accepted: that of the dictionary
    /// is another one in each run.
    var sockets: [WebSocket] {
      if hostNumbers.isEmpty { return Array(open.values) }
      return open.sorted { hostNumbers[$0.key, default: 0] < hostNumbers[$1.key, default: 0] }
        .map(\.value)
    }

    func load(of loop: EventLoop) -> Int { loads[ObjectIdentifier(loop), default: 0] }

    /// Removes a connection from the counts; a loop of another owner has none.
    mutating func releaseSlot(on loop: EventLoop) {
      count -= 1
      loads[ObjectIdentifier(loop)]? -= 1
    }

    /// Removes and returns the waiting tasks if no connection is open.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard open.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let budget: ReceiveBudget
  private let options: SharedOptions
  private let limit: Int
  private let requestHandler: RequestHandler
  private let loops: [EventLoop]
  let emission: ConnectionEmission
  /// The buffers of ended connections whose consumers have not read all messages.
  let unreadBuffers = Locked(UnreadBuffers())
  /// Held while connections are chosen to be closed over the memory limit.
  let choiceLock = Lock()
  private let state: Locked<State>

  /// How many connections are refused at once; more are dropped without an answer.
  private static let refusedLimit = 1_000

  init(
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission,
    respond: RequestHandler.Respond? = nil,
    on loops: [EventLoop] = [.shared]
  ) {
    self.loops = loops
    let loads = loops.map { (ObjectIdentifier($0), 0) }
    state = Locked(State(loads: Dictionary(uniqueKeysWithValues: loads)))
    emission = ConnectionEmission(connections)
    options = SharedOptions(configuration, name: "a client")
    // `limit` and `refusedLimit` are added: their sum must not overflow.
    limit = min(admission.connectionLimit, .max - Self.refusedLimit)
    budget = ReceiveBudget(limit: admission.memoryLimit)
    requestHandler = RequestHandler(configuration, admission, respond: respond)
  }

  /// The connections that are open or in their handshake.
  var all: [WebSocket] { state.withLock { $0.sockets } }

  // MARK: Accepting and removing

  /// Counts a connection for the loop with the fewest; nil when the connection is dropped.
  func reserveSlot(for peer: NetworkAddress?) -> Slot? {
    let slot = state.withLock { state -> Slot? in
      guard state.isServing else { return nil }
      state.accepted += 1
      guard state.count < limit + Self.refusedLimit else { return nil }
      let isFull = state.count >= limit
      state.count += 1
      let loop = loops.min { state.load(of: $0) < state.load(of: $1) } ?? loops[0]
      state.loads[ObjectIdentifier(loop), default: 0] += 1
      let remoteClient = RemoteClient(
        number: state.accepted, peerAddress: peer, address: peer)
      return Slot(loop: loop, remoteClient: remoteClient, isFull: isFull)
    }
    if slot == nil, isServing {
      let peer = peer.map { " from \($0)" } ?? ""
      options.log.write(.notice, "a connection\(peer): dropped, too many are being refused")
    }
    return slot
  }

  /// Logs that no connection can be accepted, at most once a minute.
  func noteShortage(_ error: TransportError) {
    let now = LoopClock(loop: loops[0], scheduler: options.scheduler).now
    let isDue = state.withLock { state in
      if let last = state.lastShortage, now - last < .seconds(60) { return false }
      state.lastShortage = now
      return true
    }
    guard isDue else { return }
    options.log.write(
      .error, "no connection can be accepted: \(error); new clients wait until others disconnect")
  }

  /// Logs and drops a connection whose TLS session could not be made.
  func drop(_ slot: Slot, _ error: TLSError) {
    options.log.write(.error) {
      WebSocketLog.Entry(.error, "dropped, \(error)", of: .server(slot.remoteClient), error: error)
    }
    state.withLock { $0.releaseSlot(on: slot.loop) }
  }

  /// Starts the connection of an accepted transport, on its loop; closes it if the server is closed.
  func accept(_ transport: any Transport, at slot: Slot) {
    let remoteClient = slot.remoteClient
    let clock = LoopClock(loop: transport.loop, scheduler: options.scheduler)
    let overLimit = limiter?.note(remoteClient, at: clock.now)
    let refusal = slot.isFull ? .atCapacity : overLimit
    let socket = WebSocket(.server, options, on: transport.loop) { [requestHandler] in
      let handshake = RequestLoop(requestHandler, remoteClient, refusal: refusal) { clock.now }
      return (transport, .server(handshake))
    }
    socket.driver.registry = self
    let isServing = state.withLock { state in
      if state.isServing {
        state.open[ObjectIdentifier(socket.driver)] = socket
        if HostSystem.current != nil {
          state.hostNumbers[ObjectIdentifier(socket.driver)] = remoteClient.number
        }
      }
      return state.isServing
    }
    guard isServing else {
      socket.driver.registry = nil
      transport.close()
      limiter?.connectionEnded(remoteClient)
      return state.withLock { $0.releaseSlot(on: slot.loop) }
    }
    socket.connect()
  }

  /// Notes the new state of a driver's WebSocket; on the loop's thread.
  func note(_ state: WebSocketState, of driver: ConnectionDriver) {
    let id = ObjectIdentifier(driver)
    switch state {
    case .connected:
      let socket = self.state.withLock { state in
        state.ended.opened += 1
        return state.open[id]
      }
      if let socket { emission.next(socket) }
    case .disconnected: remove(driver)
    case .idle, .connecting, .disconnecting: break
    }
  }

  /// Counts the answer to a plain request by its status.
  func note(answered status: Int) {
    state.withLock { $0.ended.answered[status, default: 0] += 1 }
  }

  private func remove(_ driver: ConnectionDriver) {
    let (outcome, wasOpen) = driver.lock.withLock {
      (driver.session.outcome ?? CloseOutcome(), !driver.session.isBeforeUpgrade)
    }
    let metrics = driver.metrics
    if let limiter, let remoteClient = driver.lock.withLock({ driver.session.remoteClient }) {
      limiter.connectionEnded(remoteClient)
    }
    let (socket, waiters) = state.withLock { state in
      state.ended.add(outcome, metrics, wasOpen: wasOpen)
      state.releaseSlot(on: driver.loop)
      let socket = state.open.removeValue(forKey: ObjectIdentifier(driver))
      state.hostNumbers[ObjectIdentifier(driver)] = nil
      return (socket, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    // Other connections were never emitted.
    if wasOpen { emission.noteEnd(holding: driver.streams.backlogBytes) }
    // Released here, without the lock: this may be the last reference.
    withExtendedLifetime(socket) {}
  }

  /// Whether connections are accepted.
  var isServing: Bool { state.withLock { $0.isServing } }

  var totals: WebSocketServerTotals {
    let (ended, sockets, accepted) = state.withLock { state in
      (state.ended, state.sockets, state.accepted)
    }
    var totals = ended
    totals.accepted = accepted
    for socket in sockets {
      let (metrics, isBeforeUpgrade) = socket.driver.lock.withLock {
        (socket.driver.session.metrics, socket.driver.session.isBeforeUpgrade)
      }
      totals.add(metrics)
      if isBeforeUpgrade { totals.handshaking += 1 } else { totals.open += 1 }
    }
    totals.heldBytes = budget.heldBytes
    totals.loopLag = loops.map(\.lag).max() ?? .zero
    return totals
  }

  // MARK: Messages

  /// The limits of addresses; nil without limits.
  var limiter: AddressLimiter? { requestHandler.limiter }

  // MARK: Memory

  /// Notes the buffer of an ended connection whose consumer has not read all of it.
  func note(unread buffer: BoundedMessageBuffer) { unreadBuffers.withLock { $0.append(buffer) } }

  // MARK: Shutting down

  /// Closes all connections, and accepts no more.
  func close() {
    for socket in endServing() { socket.driver.closeAfterAnswer(.goingAway, reason: "") }
  }

  /// Stops accepting; returns the connections that exist.
  func endServing() -> [WebSocket] {
    let last = state.withLock { state in
      state.isServing = false
      return state.sockets
    }
    emission.end(on: loops[0])
    return last
  }

  /// Closes these connections over `time`.
  ///
  /// Connections still in their handshake close at once, the others one after the other, newest
  /// first. Returns when the last close has begun; without delay when the task is cancelled.
  func drain(
    _ last: [WebSocket], over time: Duration, _ code: CloseCode, reason: String, _ clock: LoopClock
  ) async {
    var numbered: [(number: Int, socket: WebSocket)] = []
    for socket in last {
      let (isBeforeUpgrade, remoteClient) = socket.driver.lock.withLock {
        (socket.driver.session.isBeforeUpgrade, socket.driver.session.remoteClient)
      }
      if isBeforeUpgrade {
        socket.driver.closeAfterAnswer(code, reason: reason)
      } else {
        numbered.append((remoteClient?.number ?? 0, socket))
      }
    }
    let newestFirst = numbered.sorted { $0.number > $1.number }.map(\.socket)
    let start = clock.now
    for (index, socket) in newestFirst.enumerated() {
      let due = start + time * index / newestFirst.count
      let wait = due - clock.now
      // Closes that are due at the same moment need no timer of their own.
      if wait > .zero { await clock.sleep(wait) }
      socket.driver.closeAfterAnswer(code, reason: reason)
    }
  }

  /// Drops the remaining connections, after it has passed their number to `count`.
  ///
  /// The order matters: a task that waits for the last connection may read the number as soon as
  /// that connection has ended, which is before this method returns.
  func drop(count: (Int) -> Void) {
    let last = all
    count(last.count)
    for socket in last { socket.driver.drop() }
  }

  /// Waits until no connection remains; call `close` or `endServing` first.
  func ended() async {
    await withCheckedContinuation { continuation in
      let waiters = state.withLock { state in
        state.waiters.append(continuation)
        return state.takeWaiters()
      }
      for waiter in waiters { waiter.resume() }
    }
  }
}
