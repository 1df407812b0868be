import Foundation
import SocketsRedis

#if canImport(Glibc)
import Glibc
#endif

/// A server, its room and its clients.
final class RoomProcess: Sendable {
  /// What is waited for.
  struct State {
    var isConnected = false
    var presence = 0
    var openClients = 0
    /// For each name, how many messages each client has received in their order.
    var received: [String: [Int]] = [:]
    /// The first message that was out of order, or not expected.
    var wrong: String?
  }

  private let server: WebSocketServer
  private let room: WebSocketTopic
  private let clientCount: Int
  private let state = NSCondition()
  // Protected by `state`.
  private nonisolated(unsafe) var current = State()
  private let clients = Locked<[WebSocket]>([])
  private let bag = DisposeBag()

  /// - Parameter arguments: the program, the URL of Redis, the number of clients, and `stream` or nothing
  init(_ arguments: [String]) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    clientCount = Int(arguments[2]) ?? 0
    var configuration = RedisConfiguration()
    configuration.reconnection = .fixed(.milliseconds(50), maxAttempts: nil)
    configuration.pingInterval = .seconds(3)
    configuration.connectTimeout = .seconds(5)
    if arguments.last == "stream" { configuration.delivery = .stream() }
    server = try WebSocketServer(
      backplane: try RedisBackplane(arguments[1], configuration: configuration))
    room = server.topic("room")
    server.connections.subscribe(onNext: { [room] in room.subscribe($0) }).disposed(by: bag)
    room.presence.subscribe(onNext: { [weak self] count in self?.change { $0.presence = count } })
      .disposed(by: bag)
    server.backplaneStates.subscribe(onNext: { [weak self] state in
      self?.change { $0.isConnected = state.isConnected }
    }).disposed(by: bag)
  }

  func connectClients() throws {
    for index in 0..<clientCount {
      let socket = WebSocket(server.url)
      socket.events.subscribe(onNext: { [weak self] event in self?.note(event, of: index) })
        .disposed(by: bag)
      clients.withLock { $0.append(socket) }
      socket.connect()
      // A hundred at a time, which the listener's queue holds.
      if index % 100 == 99 { try wait { $0.openClients > index } }
    }
    try wait { [clientCount] in $0.openClients == clientCount }
  }

  private func note(_ event: WebSocketEvent, of client: Int) {
    switch event {
    case .connected: change { $0.openClients += 1 }
    case .disconnected: change { $0.openClients -= 1 }
    case .error: break
    case .message(let message):
      let words = (message.text ?? "").split(separator: " ").map(String.init)
      change { state in
        let count = state.received[words[0]]?[client] ?? 0
        guard words.count == 2, words[1] == "\(count)" else {
          state.wrong = state.wrong ?? "\(words), where \(count) is next"
          return
        }
        let none = [Int](repeating: 0, count: clientCount)
        state.received[words[0], default: none][client] += 1
      }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock {
      body(&current)
      state.broadcast()
    }
  }

  /// Waits for a condition, for 30 seconds at most.
  func wait(_ isReached: (State) -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 30)
    try state.withLock {
      while !isReached(current) {
        guard state.wait(until: deadline) else { throw Late() }
      }
    }
  }

  func publish(_ name: String, _ count: Int) {
    for number in 0..<count { room.publish(.text("\(name) \(number)")) }
  }

  func expect(_ name: String, _ count: Int) throws {
    try wait { state in
      state.wrong == nil && state.received[name]?.allSatisfy { $0 == count } == true
    }
  }

  /// What a late command has to do with.
  func summary(_ name: String) -> String {
    state.withLock {
      let received = current.received[name] ?? []
      return "connected \(current.isConnected), presence \(current.presence), received "
        + "\(received.min() ?? 0) to \(received.max() ?? 0), wrong \(current.wrong ?? "none")"
    }
  }
}
