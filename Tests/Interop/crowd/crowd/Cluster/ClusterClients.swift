import Foundation
import Glibc
import Reactive
import Sockets

/// Many clients whose connections have one local address.
final class ClusterClients: ClusterMember {
  /// The events of all connections so far.
  private struct Tally {
    var connected = 0
    var closed: [CloseCode: Int] = [:]
    var errors: [String] = []
    /// How many messages each connection has received.
    var received: [UInt8] = []
    /// The connections that have received a message.
    var reached = 0
    var latencies: [Int] = []
    var ended: Int { closed.values.reduce(0, +) }
  }

  private let address: String
  private let port: UInt16
  private let sockets = Locked<[WebSocket]>([])
  private let tally = Locked(Tally())

  /// The number of concurrent handshakes, and of concurrent closes: the accept queue of a server has
  /// room for those of all processes.
  private static let wave = 100

  /// - Parameters:
  ///   - address: local address of the connections
  ///   - port: port of the servers
  init(from address: String, to port: UInt16) {
    self.address = address
    self.port = port
  }

  func execute(_ command: ClusterCommand) async throws -> ClusterAnswer {
    switch command {
    case .status: break
    case .connect(let count): try await connect(count)
    case .awaitMessages:
      try await wait("messages") { $0.reached == $0.received.count }
    case .close(let count): try await close(count)
    case .awaitEnd:
      let count = sockets.withLock { $0.count }
      try await wait("the end of \(count)") { $0.closed[.goingAway, default: 0] == count }
    default: throw Problem("no command for clients")
    }
    return tally.withLock { tally in
      var answer = ClusterAnswer()
      answer.open = tally.connected - tally.ended
      answer.missed = tally.received.count { $0 == 0 }
      answer.receivedOnce = tally.received.count { $0 == 1 }
      answer.receivedAgain = tally.received.count { $0 > 1 }
      if case .awaitMessages = command { answer.latencies = tally.latencies }
      if let error = tally.errors.first {
        answer.problem = "\(error) (\(tally.errors.count) errors)"
      }
      return answer
    }
  }

  // MARK: Connections

  private func connect(_ count: Int) async throws {
    tally.withLock { tally in
      tally = Tally()
      tally.received = Array(repeating: 0, count: count)
      tally.latencies.reserveCapacity(count)
    }
    sockets.withLock { $0.reserveCapacity(count) }
    for number in 0..<count {
      try join(number)
      try await wait("connections") { number + 1 - $0.connected < Self.wave }
    }
    try await wait("\(count) connections") { $0.connected == count }
  }

  private func join(_ number: Int) throws {
    let transport = TCPTransport(accepted: try Self.connectedSocket(from: address, to: port))
    let socket = WebSocket.client(over: transport, url: "ws://127.0.0.1:\(port)/")
    _ = socket.events.subscribe(onNext: { [weak self] in self?.note($0, of: number) })
    sockets.withLock { $0.append(socket) }
    socket.connect()
  }

  private func close(_ count: Int) async throws {
    var rest = count
    var ended = 0
    while rest > 0 {
      let few = min(rest, Self.wave)
      for socket in sockets.withLock({ sockets in
        defer { sockets.removeLast(few) }
        return Array(sockets.suffix(few))
      }) {
        socket.close()
      }
      rest -= few
      ended += few
      try await wait("\(ended) closes") { [ended] in $0.closed[.normal, default: 0] == ended }
    }
  }

  private func note(_ event: WebSocketEvent, of number: Int) {
    let now = DispatchTime.now().uptimeNanoseconds
    tally.withLock { tally in
      switch event {
      case .connected: tally.connected += 1
      case .message(let message):
        tally.received[number] += 1
        if tally.received[number] == 1 { tally.reached += 1 }
        let words = message.text?.split(separator: " ") ?? []
        guard let last = words.last, let start = UInt64(last) else {
          return tally.errors.append("an unexpected message")
        }
        tally.latencies.append(Int(now - start) / 1_000)
      case .error(let error): tally.errors.append("\(error)")
      case .disconnected(let code, _): tally.closed[code, default: 0] += 1
      }
    }
  }

  private func wait(_ what: String, until isSo: @escaping @Sendable (Tally) -> Bool) async throws {
    try await wait(for: what) { [tally] in
      try tally.withLock { tally in
        if let error = tally.errors.first {
          throw Problem("\(what): \(error) (\(tally.errors.count) errors)")
        }
        return isSo(tally)
      }
    }
  }

  /// Connects a socket of this local address, which the caller owns.
  ///
  /// It blocks, on loopback for as long as the server's accept queue is full.
  private static func connectedSocket(from local: String, to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Problem("socket: \(String(cString: strerror(errno)))") }
    // The port is selected by `connect`, which compares both addresses, so that one local address has
    // 28,232 ports for each address of a server.
    var isOn: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &isOn,
      socklen_t(MemoryLayout<Int32>.size))
    guard withAddress(local, 0, { bind(descriptor, $0, $1) }) == 0,
      withAddress("127.0.0.1", port, { Glibc.connect(descriptor, $0, $1) }) == 0,
      fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    else {
      let reason = String(cString: strerror(errno))
      Glibc.close(descriptor)
      throw Problem("connect from \(local): \(reason)")
    }
    return descriptor
  }

  private static func withAddress(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
