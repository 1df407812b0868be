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
    let doorkeeper = count < limit ? doorkeeper : refusing
    let socket = WebSocket(.server, terms, on: transport.loop) {
      (transport, .server(ServerOpening(doorkeeper, visitor)))
    }
    let isServing = state.withLock { state in
      if state.isServing { state.open[ObjectIdentifier(socket.pump)] = socket }
      return state.isServing
    }
    guard isServing else { return }
    socket.pump.keeper = self
    socket.connect()
  }

  /// The pump's WebSocket has come to this state; on the loop's thread.
  func note(_ state: WebSocketState, of pump: Pump) {
    let id = ObjectIdentifier(pump)
    switch state {
    case .connected:
      if let socket = self.state.withLock({ $0.open[id] }) { connections.next(socket) }
    case .disconnected: forget(id)
    case .idle, .connecting, .disconnecting: break
    }
  }

  private func forget(_ id: ObjectIdentifier) {
    let (gone, waiters) = state.withLock { state in
      (state.open.removeValue(forKey: id), state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    // Released here, unlocked: it may be the last reference.
    withExtendedLifetime(gone) {}
  }

  // MARK: The end

  /// Closes all, and accepts no more; the observers are told on `loop`, like everything.
  func close(on loop: EventLoop) {
    let last = state.withLock { state in
      defer { state.isServing = false }
      return state.isServing ? Array(state.open.values) : []
    }
    for socket in last { socket.close(code: .goingAway) }
    loop.execute { [connections] in connections.hub.end(nil) }
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
