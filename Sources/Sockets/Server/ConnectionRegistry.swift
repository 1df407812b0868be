import Reactive

/// The connections of a server, from the moment they are accepted.
///
/// Their drivers report their states, which is cheaper than an observer of each.
final class ConnectionRegistry: Sendable {
  // Those that have ended are taken out, some at a time, so there are few more than may be open.
  let connections = Multicast<WebSocket>(capacity: .max, handsOver: true)

  /// Where a connection belongs that has come.
  struct Place: Sendable {
    let loop: EventLoop
    let visitor: Visitor
    /// Whether it is to be told that there is no room.
    let isFull: Bool
  }

  private struct State {
    var isServing = true
    /// When the log last said that nothing can be accepted.
    var lastShortage: Duration?
    /// How many connections were accepted so far.
    var accepted = 0
    /// How many connections there are, with those that are on their way to their loop.
    var count = 0
    /// How many of them each loop has.
    var loads: [Int]
    /// By their drivers.
    var open: [ObjectIdentifier: WebSocket] = [:]
    /// Who waits until none is open.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// What those that have ended did, and what is counted when it is done.
    var ended = WebSocketServerTotals()

    init(loops: Int) { loads = Array(repeating: 0, count: loops) }

    /// A connection is gone from its loop, if that is one of the server's own.
    mutating func leave(_ index: Int?) {
      count -= 1
      if let index { loads[index] -= 1 }
    }

    /// Returns those who need not wait any more.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard open.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let budget: ReceiveBudget
  private let options: SharedOptions
  private let limit: Int
  private let upgradeHandler: UpgradeHandler
  private let refusing: UpgradeHandler
  private let loops: [EventLoop]
  let emission: ConnectionEmission
  /// What connections that have ended have left with their consumers.
  let left = Locked(LeftWindows())
  /// Held by whoever chooses connections to be closed.
  let choosing = Lock()
  private let state: Locked<State>

  /// How many are refused at once; more are dropped.
  private static let refusedLimit = 1_000

  init(
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission,
    respond: UpgradeHandler.Respond? = nil,
    on loops: [EventLoop] = [.shared]
  ) {
    self.loops = loops
    state = Locked(State(loops: loops.count))
    emission = ConnectionEmission(connections)
    options = SharedOptions(configuration, name: "a client")
    // Room for those that are refused: the sum of both is a number too.
    limit = min(admission.connectionLimit, .max - Self.refusedLimit)
    budget = ReceiveBudget(limit: admission.memoryLimit)
    upgradeHandler = UpgradeHandler(configuration, admission, respond: respond)
    refusing = upgradeHandler.rejectingAtCapacity
  }

  /// Those that are open or in their handshake.
  var all: [WebSocket] { state.withLock { Array($0.open.values) } }

  // MARK: Coming and going

  /// Takes a place for a connection, on the loop that has fewest; nil when it is to be dropped.
  func takePlace(for peer: NetworkAddress?) -> Place? {
    let (place, isServing) = state.withLock { state -> (Place?, Bool) in
      guard state.isServing else { return (nil, false) }
      state.accepted += 1
      guard state.count < limit + Self.refusedLimit else { return (nil, true) }
      let isFull = state.count >= limit
      state.count += 1
      let index = state.loads.indices.min { state.loads[$0] < state.loads[$1] } ?? 0
      state.loads[index] += 1
      let visitor = Visitor(state.accepted, peer)
      return (Place(loop: loops[index], visitor: visitor, isFull: isFull), true)
    }
    if place == nil, isServing {
      let peer = peer.map { " from \($0)" } ?? ""
      options.log.write(.notice, "a connection\(peer): dropped, too many are being refused")
    }
    return place
  }

  /// Nothing can be accepted for now: a line of the log, once a minute.
  func noteShortage(_ error: TransportError) {
    let now = LoopClock(loop: loops[0], scheduler: options.scheduler).now
    let isDue = state.withLock { state in
      if let last = state.lastShortage, now - last < .seconds(60) { return false }
      state.lastShortage = now
      return true
    }
    guard isDue else { return }
    options.log.write(
      .error, "no connection can be accepted: \(error); new clients wait until others have left")
  }

  /// The connection of this place cannot begin: what its TLS is made by could be used before.
  func drop(_ place: Place, _ error: TLSError) {
    options.log.write(.error, "\(place.visitor): dropped, \(error)")
    leave(place.loop)
  }

  /// The connection of this place does not come, or has ended.
  func leave(_ loop: EventLoop) {
    let index = index(of: loop)
    state.withLock { $0.leave(index) }
  }

  private func index(of loop: EventLoop) -> Int? { loops.firstIndex { $0 === loop } }

  /// Meets the client at the other end, on its loop; dropping `transport` closes it.
  func accept(_ transport: any Transport, at place: Place) {
    let visitor = place.visitor
    let clock = LoopClock(loop: transport.loop, scheduler: options.scheduler)
    let tooMany = self.upgradeHandler.limiter?.note(visitor, at: clock.now)
    let upgradeHandler =
      place.isFull
      ? refusing : tooMany.map { self.upgradeHandler.refusing($0) } ?? self.upgradeHandler
    let socket = WebSocket(.server, options, on: transport.loop) {
      (transport, .server(ServerOpeningHandshake(upgradeHandler, visitor) { clock.now }))
    }
    socket.driver.registry = self
    let isServing = state.withLock { state in
      if state.isServing { state.open[ObjectIdentifier(socket.driver)] = socket }
      return state.isServing
    }
    guard isServing else {
      socket.driver.registry = nil
      self.upgradeHandler.limiter?.leave(visitor)
      return leave(place.loop)
    }
    socket.connect()
  }

  /// The driver's WebSocket has come to this state; on the loop's thread.
  func note(_ state: WebSocketState, of driver: ConnectionDriver) {
    let id = ObjectIdentifier(driver)
    switch state {
    case .connected:
      let socket = self.state.withLock { state in
        state.ended.opened += 1
        return state.open[id]
      }
      if let socket { emission.next(socket) }
    case .disconnected: forget(driver)
    case .idle, .connecting, .disconnecting: break
    }
  }

  /// A plain request was answered with this status.
  func note(answered status: Int) {
    state.withLock { $0.ended.answered[status, default: 0] += 1 }
  }

  private func forget(_ driver: ConnectionDriver) {
    let (outcome, wasOpen) = driver.lock.withLock {
      (driver.session.outcome ?? CloseOutcome(), !driver.session.isStranger)
    }
    let metrics = driver.metrics
    if let limiter = upgradeHandler.limiter,
      let visitor = driver.lock.withLock({ driver.session.visitor })
    {
      limiter.leave(visitor)
    }
    let index = index(of: driver.loop)
    let (gone, waiters) = state.withLock { state in
      state.ended.add(outcome, metrics, wasOpen: wasOpen)
      state.leave(index)
      let gone = state.open.removeValue(forKey: ObjectIdentifier(driver))
      return (gone, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    // Others were never emitted.
    if wasOpen { emission.noteEnd(holding: driver.streams.backlogBytes) }
    // Released here, unlocked: it may be the last reference.
    withExtendedLifetime(gone) {}
  }

  /// Whether connections are accepted.
  var isServing: Bool { state.withLock { $0.isServing } }

  var totals: WebSocketServerTotals {
    let (ended, sockets, accepted) = state.withLock { state in
      (state.ended, Array(state.open.values), state.accepted)
    }
    var totals = ended
    totals.accepted = accepted
    for socket in sockets {
      let (metrics, isStranger) = socket.driver.lock.withLock {
        (socket.driver.session.metrics, socket.driver.session.isStranger)
      }
      totals.add(metrics)
      if isStranger { totals.handshaking += 1 } else { totals.open += 1 }
    }
    totals.heldBytes = budget.heldBytes
    totals.loopLag = loops.map(\.lag).max() ?? .zero
    return totals
  }

  // MARK: Messages

  /// Of what addresses may do; nil without limits.
  var limiter: AddressLimiter? { upgradeHandler.limiter }

  // MARK: What is held

  /// An ended connection's consumer has not taken all.
  func note(left window: BoundedMessageBuffer) { left.withLock { $0.append(window) } }

  // MARK: The end

  /// Closes all, and accepts no more.
  func close() {
    for socket in endServing() { socket.driver.closeServed(.goingAway, reason: "") }
  }

  /// Accepts no more; returns those that are there.
  func endServing() -> [WebSocket] {
    let last = state.withLock { state in
      state.isServing = false
      return Array(state.open.values)
    }
    emission.end(on: loops[0])
    return last
  }

  /// Closes these: who is no WebSocket yet at once, the others newest first, one after the other in `time`; returns
  /// when the last one is asked to close, at once when the task is cancelled.
  func drain(
    _ last: [WebSocket], over time: Duration, _ code: CloseCode, reason: String, _ clock: LoopClock
  ) async {
    var numbered: [(number: Int, socket: WebSocket)] = []
    for socket in last {
      let (isStranger, visitor) = socket.driver.lock.withLock {
        (socket.driver.session.isStranger, socket.driver.session.visitor)
      }
      if isStranger {
        socket.driver.closeServed(code, reason: reason)
      } else {
        numbered.append((visitor?.number ?? 0, socket))
      }
    }
    let newestFirst = numbered.sorted { $0.number > $1.number }.map(\.socket)
    let start = clock.now
    for (index, socket) in newestFirst.enumerated() {
      let due = start + time * index / newestFirst.count
      let wait = due - clock.now
      // What is due in the same moment needs no timer each.
      if wait > .zero { await clock.sleep(wait) }
      socket.driver.closeServed(code, reason: reason)
    }
  }

  /// Drops those that are left, after `count` was told how many these are: who waits for the last one
  /// may ask for the number as soon as it is gone, which is before this returns.
  func drop(count: (Int) -> Void) {
    let last = all
    count(last.count)
    for socket in last { socket.driver.drop() }
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
