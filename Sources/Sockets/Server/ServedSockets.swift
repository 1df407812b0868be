import Reactive

/// The connections of a server, from the moment they are accepted.
final class ServedSockets: Sendable {
  let connections = Multicast<WebSocket>(capacity: 1_024, handsOver: true)

  private struct State {
    var isServing = true
    var open: Set<ByIdentity> = []
    /// Who waits until none is open.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Returns those who need not wait any more.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard open.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let configuration: WebSocketConfiguration
  private let limit: Int
  private let doorkeeper: Doorkeeper
  private let refusing: Doorkeeper
  private let state = Locked(State())

  /// How many are refused at once; more are dropped.
  private static let refusedLimit = 1_000

  init(_ configuration: WebSocketConfiguration, _ admission: WebSocketAdmission) {
    self.configuration = configuration
    limit = admission.connectionLimit
    doorkeeper = Doorkeeper(configuration, admission)
    refusing = .ofFullHouse(configuration)
  }

  /// Those that are open or in their handshake.
  var all: [WebSocket] { state.withLock { $0.open.map(\.socket) } }

  // MARK: Coming and going

  /// Meets the client at the other end; dropping `transport` closes it.
  func accept(_ transport: any Transport) {
    // Connections come on one thread, so none takes another's place meanwhile.
    let count = state.withLock { $0.isServing ? $0.open.count : .max }
    guard count < limit + Self.refusedLimit else { return }
    let doorkeeper = count < limit ? doorkeeper : refusing
    let socket = WebSocket(.server, configuration, on: transport.loop) {
      (transport, .server(ServerHandshake(), at: doorkeeper))
    }
    let isServing = state.withLock { state in
      if state.isServing { state.open.insert(ByIdentity(socket: socket)) }
      return state.isServing
    }
    guard isServing else { return }
    // Ends with the socket, which it keeps until then.
    _ = socket.states.subscribe(onNext: { [self] state in
      switch state {
      case .connected: connections.next(socket)
      case .disconnected: forget(socket)
      case .idle, .connecting, .disconnecting: break
      }
    })
    socket.connect()
  }

  private func forget(_ socket: WebSocket) {
    let (gone, waiters) = state.withLock { state in
      (state.open.remove(ByIdentity(socket: socket)), state.takeWaiters())
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
      return state.isServing ? state.open : []
    }
    for served in last { served.socket.close(code: .goingAway) }
    loop.execute { [connections] in connections.hub.end(nil) }
  }

  /// Drops those that are left; returns how many.
  func drop() -> Int {
    let last = all
    for socket in last { socket.pump.drop() }
    return last.count
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

/// A WebSocket that equals itself only.
private struct ByIdentity: Hashable {
  let socket: WebSocket

  static func == (first: Self, second: Self) -> Bool { first.socket === second.socket }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(socket)) }
}
