import Reactive

/// The connections of a server, from the moment they are accepted.
///
/// Their pumps tell it how they are, which is cheaper than to observe each.
final class ServedSockets: Sendable {
  let connections = Multicast<WebSocket>(capacity: 1_024, handsOver: true)

  private struct State {
    var isServing = true
    /// How many connections were accepted so far.
    var accepted = 0
    /// By their pumps.
    var open: [ObjectIdentifier: WebSocket] = [:]
    /// Who waits until none is open.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// What those that have ended did.
    var ended = WebSocketServerTotals()

    /// Returns those who need not wait any more.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard open.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let budget: ReceiveBudget
  private let terms: Terms
  private let limit: Int
  private let doorkeeper: Doorkeeper
  private let refusing: Doorkeeper
  private let state = Locked(State())

  /// How many are refused at once; more are dropped.
  private static let refusedLimit = 1_000

  init(
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission,
    respond: Doorkeeper.Respond? = nil
  ) {
    terms = Terms(configuration, name: "a client")
    // Room for those that are refused: the sum of both is a number too.
    limit = min(admission.connectionLimit, .max - Self.refusedLimit)
    budget = ReceiveBudget(limit: admission.memoryLimit)
    doorkeeper = Doorkeeper(configuration, admission, respond: respond)
    refusing = doorkeeper.ofFullHouse
  }

  /// Those that are open or in their handshake.
  var all: [WebSocket] { state.withLock { Array($0.open.values) } }

  // MARK: Coming and going

  /// Meets the client at the other end; dropping `transport` closes it.
  func accept(_ transport: any Transport) {
    // Connections come on one thread, so none takes another's place meanwhile.
    let (count, number) = state.withLock { state in
      state.accepted += 1
      return (state.isServing ? state.open.count : .max, state.accepted)
    }
    let visitor = Visitor(number, transport.peerAddress)
    guard count < limit + Self.refusedLimit else {
      return terms.log.write(.notice, "\(visitor): dropped, too many are being refused")
    }
    let clock = LoopClock(loop: transport.loop, scheduler: terms.scheduler)
    let tooMany = self.doorkeeper.limiter?.note(visitor, at: clock.now)
    let doorkeeper =
      count >= limit ? refusing : tooMany.map { self.doorkeeper.refusing($0) } ?? self.doorkeeper
    let socket = WebSocket(.server, terms, on: transport.loop) {
      (transport, .server(ServerOpening(doorkeeper, visitor) { clock.now }))
    }
    let isServing = state.withLock { state in
      if state.isServing { state.open[ObjectIdentifier(socket.pump)] = socket }
      return state.isServing
    }
    guard isServing else {
      self.doorkeeper.limiter?.leave(visitor)
      return
    }
    socket.pump.keeper = self
    socket.connect()
  }

  /// The pump's WebSocket has come to this state; on the loop's thread.
  func note(_ state: WebSocketState, of pump: Pump) {
    let id = ObjectIdentifier(pump)
    switch state {
    case .connected:
      if let socket = self.state.withLock({ $0.open[id] }) { connections.next(socket) }
    case .disconnected: forget(pump)
    case .idle, .connecting, .disconnecting: break
    }
  }

  private func forget(_ pump: Pump) {
    let (ending, wasOpen) = pump.lock.withLock {
      (pump.session.ending ?? Ending(), !pump.session.isStranger)
    }
    let metrics = pump.metrics
    if let limiter = doorkeeper.limiter, let visitor = pump.lock.withLock({ pump.session.visitor })
    {
      limiter.leave(visitor)
    }
    let (gone, waiters) = state.withLock { state in
      state.ended.add(ending, metrics, wasOpen: wasOpen)
      let gone = state.open.removeValue(forKey: ObjectIdentifier(pump))
      return (gone, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    // Released here, unlocked: it may be the last reference.
    withExtendedLifetime(gone) {}
  }

  /// Whether connections are accepted.
  var isServing: Bool { state.withLock { $0.isServing } }

  func totals(of loop: EventLoop) -> WebSocketServerTotals {
    let (ended, sockets, accepted) = state.withLock { state in
      (state.ended, Array(state.open.values), state.accepted)
    }
    var totals = ended
    totals.accepted = accepted
    for socket in sockets {
      let (metrics, isStranger) = socket.pump.lock.withLock {
        (socket.pump.session.metrics, socket.pump.session.isStranger)
      }
      totals.add(metrics)
      if isStranger { totals.handshaking += 1 } else { totals.open += 1 }
    }
    totals.heldBytes = budget.heldBytes
    totals.loopLag = loop.lag
    return totals
  }

  // MARK: Messages

  /// Whether it is to be told how many messages come.
  var countsMessages: Bool { doorkeeper.limiter?.limitsMessages ?? false }

  /// So many messages have come; closes the connection when its address sends too many.
  ///
  /// On the loop.
  func count(_ messages: Int, of pump: Pump) {
    guard messages > 0, let limiter = doorkeeper.limiter,
      let visitor = pump.lock.withLock({ pump.session.visitor }),
      !limiter.take(messages, of: visitor, at: pump.clock.now)
    else { return }
    pump.close(.policyViolation, reason: "too many messages")
  }

  // MARK: The end

  /// Closes all, and accepts no more; the observers are told on `loop`, like everything.
  func close(on loop: EventLoop) {
    for socket in endServing(on: loop) { socket.close(code: .goingAway) }
  }

  /// Accepts no more; returns those that are to be closed, none when that was done before.
  private func endServing(on loop: EventLoop) -> [WebSocket] {
    let last = state.withLock { state in
      defer { state.isServing = false }
      return state.isServing ? Array(state.open.values) : []
    }
    loop.execute { [connections] in connections.hub.end(nil) }
    return last
  }

  /// Accepts no more, and closes all, newest first, one after the other in `time`; returns when the last one is
  /// asked to close, at once when the task is cancelled.
  func drain(over time: Duration, _ code: CloseCode, reason: String, _ clock: LoopClock) async {
    let last = endServing(on: clock.loop).map { socket in
      (number: socket.pump.lock.withLock { socket.pump.session.visitor?.number ?? 0 }, socket)
    }
    let newestFirst = last.sorted { $0.number > $1.number }.map(\.1)
    let start = clock.now
    for (index, socket) in newestFirst.enumerated() {
      let due = start + time * index / newestFirst.count
      let wait = due - clock.now
      // What is due in the same moment needs no timer each.
      if wait > .zero { await clock.sleep(wait) }
      socket.close(code: code, reason: reason)
    }
  }

  /// Drops those that are left, after `count` was told how many these are: who waits for the last one
  /// may ask for the number as soon as it is gone, which is before this returns.
  func drop(count: (Int) -> Void) {
    let last = all
    count(last.count)
    for socket in last { socket.pump.drop() }
  }

  /// Returns when none is left; after `close`.
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
