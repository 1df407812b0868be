import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TCPConnectorTests {
  private func connect(
    _ host: String,
    _ port: UInt16,
    on loop: EventLoop
  ) async -> TransportRecorder.Log {
    let client = TransportRecorder(TCPTransport(host: host, port: port, loop: loop))
    await client.start()
    client.transport.close()
    await client.log.wait { $0.isClosed }
    return client.log.value
  }

  @Test func `a connection to a closed port is refused`() async throws {
    try await withLoop { loop in
      // Bound and not listening: no other process can bind the port meanwhile.
      let owner = RawSocket.bound()
      let log = await connect("127.0.0.1", owner.port, on: loop)
      #expect(log.opened == 0)
      #expect(log.closed == [.refused(address: "127.0.0.1:\(owner.port)")])
      owner.close()
    }
  }

  @Test func `an unknown host is not found`() async throws {
    try await withLoop { loop in
      let log = await connect("no-such-host.invalid", 80, on: loop)
      #expect(log.opened == 0)
      guard case .hostNotFound(host: "no-such-host.invalid", let reason) = log.closed.first else {
        Issue.record("\(log.closed)")
        return
      }
      #expect(!reason.isEmpty)
    }
  }

  @Test func `a host name with a zero byte is not looked up`() async throws {
    try await withLoop { loop in
      let log = await connect("localhost\0.example", 80, on: loop)
      guard case .hostNotFound = log.closed.first else {
        Issue.record("\(log.closed)")
        return
      }
    }
  }

  @Test func `a connector uses the address of a name that answers`() async throws {
    try await withLoop { loop in
      let listener = try TCPListener(host: "127.0.0.1", loop: loop)
      listener.startTransports { $0.start(EchoHandler($0)) }
      let log = await connect("localhost", listener.port, on: loop)
      #expect(log.opened == 1)
      #expect(log.closed == [nil])
      listener.close()
    }
  }

  @Test func `a connector tries addresses in order, and reports the error of the last`()
    async throws
  {
    try await withLoop { loop in
      let listening = RawSocket.bound()
      listening.listen(backlog: 8)
      let refusing = [RawSocket.bound(), RawSocket.bound()]
      @Sendable func outcome(of ports: [UInt16]) async throws -> TransportError? {
        let addresses = try ports.map { try address($0) }
        return await withCheckedContinuation { continuation in
          loop.execute {
            let connector = TCPConnector(host: "test", port: 0, clock: LoopClock(loop: loop))
            connector.start(at: addresses) { result in
              switch result {
              case .success(let socket):
                socket.close()
                continuation.resume(returning: nil)
              case .failure(let error): continuation.resume(returning: error)
              }
            }
          }
        }
      }
      let ports = refusing.map(\.port)
      let reached = try await outcome(of: ports + [listening.port])
      #expect(reached == nil)
      let refused = try await outcome(of: ports)
      #expect(refused == .refused(address: "127.0.0.1:\(ports[1])"))
      for one in refusing + [listening] { one.close() }
    }
  }

  @Test func `a connector connects to an IPv6 address`() async throws {
    try await withLoop { loop in
      guard let listener = try? TCPListener(host: "::1", loop: loop) else { return }
      listener.startTransports { $0.start(EchoHandler($0)) }
      let log = await connect("::1", listener.port, on: loop)
      #expect(log.closed == [nil])
      listener.close()
    }
  }

  @Test func `closing a transport that connects ends it without an error`() async throws {
    try await withLoop { loop in
      for host in ["127.0.0.1", "localhost"] {
        let owner = RawSocket.bound()
        owner.listen(backlog: 8)
        let client = TransportRecorder(TCPTransport(host: host, port: owner.port, loop: loop))
        // Both in one turn: a local connection would be open in the next turn.
        await loop.run {
          client.transport.start(client)
          client.transport.close()
        }
        await client.log.wait { $0.isClosed }
        #expect(client.log.value.opened == 0)
        #expect(client.log.value.closed == [nil])
        owner.close()
      }
    }
  }
}

private func address(_ port: UInt16) throws -> SocketAddress {
  try #require(try SocketAddress.find("127.0.0.1", port: port, .literal).first)
}

/// Happy Eyeballs (RFC 8305) in virtual time.
@Suite("The race between addresses", .workerPool) struct AddressRaceTests {
  private let time = VirtualTime()

  /// A port whose connections are never answered: its backlog is full, and the kernel ignores
  /// further connections.
  private final class SilentPort {
    private let listener = RawSocket.bound()
    private let crowd: [RawSocket]
    var port: UInt16 { listener.port }

    init() {
      listener.listen(backlog: 0)
      let port = listener.port
      crowd = (0..<4).map { _ in RawSocket.bound() }
      for one in crowd { one.beginConnecting(to: port) }
    }

    /// Makes room: a pending connection succeeds when the kernel repeats its SYN after a second.
    func answer() {
      for one in crowd { one.close() }
      listener.acceptAndClose()
    }

    deinit { for one in crowd + [listener] { one.close() } }
  }

  private enum Outcome: Equatable {
    case connected(to: UInt16)
    case failed(TransportError)
  }

  /// A race between these ports, and its outcome.
  private func race(
    _ ports: [UInt16],
    on loop: EventLoop
  ) async throws -> (connector: TCPConnector, outcome: Watched<Outcome?>) {
    let addresses = try ports.map { try address($0) }
    let clock = LoopClock(loop: loop, scheduler: time.scheduler)
    let connector = TCPConnector(host: "test", port: 0, clock: clock)
    let outcome = Watched<Outcome?>(nil)
    await loop.run {
      connector.start(at: addresses) { result in
        switch result {
        case .success(let socket):
          let port = socket.remoteAddress?.port ?? 0
          socket.close()
          outcome.update { $0 = .connected(to: port) }
        case .failure(let error): outcome.update { $0 = .failed(error) }
        }
      }
    }
    return (connector, outcome)
  }

  private func advance(_ milliseconds: Int, _ loop: EventLoop) async {
    time.advance(by: .milliseconds(milliseconds))
    await loop.settle()
  }

  @Test func `the next address starts after 250 ms without an answer`() async throws {
    try await withLoop { loop in
      let silent = SilentPort()
      let listening = RawSocket.bound()
      listening.listen(backlog: 8)
      let (_, outcome) = try await race([silent.port, listening.port], on: loop)
      await advance(249, loop)
      #expect(outcome.value == nil)
      await advance(1, loop)
      await outcome.wait { $0 == .connected(to: listening.port) }
      listening.close()
    }
  }

  @Test func `each further address starts 250 ms later`() async throws {
    try await withLoop { loop in
      let (first, second) = (SilentPort(), SilentPort())
      let listening = RawSocket.bound()
      listening.listen(backlog: 8)
      let ports = [first.port, second.port, listening.port]
      let (_, outcome) = try await race(ports, on: loop)
      await advance(250, loop)
      await advance(249, loop)
      #expect(outcome.value == nil)
      await advance(1, loop)
      await outcome.wait { $0 == .connected(to: listening.port) }
      listening.close()
    }
  }

  @Test func `a refusal starts the next address at once`() async throws {
    try await withLoop { loop in
      let refusing = RawSocket.bound()
      let listening = RawSocket.bound()
      listening.listen(backlog: 8)
      let (_, outcome) = try await race([refusing.port, listening.port], on: loop)
      await outcome.wait { $0 == .connected(to: listening.port) }
      for one in [refusing, listening] { one.close() }
    }
  }

  @Test func `the first address to answer wins, also after a later one has started`() async throws {
    try await withLoop { loop in
      let (slow, silent) = (SilentPort(), SilentPort())
      let (_, outcome) = try await race([slow.port, silent.port], on: loop)
      await advance(250, loop)
      #expect(outcome.value == nil)
      slow.answer()
      await outcome.wait { $0 == .connected(to: slow.port) }
    }
  }

  @Test func `a refusal does not end the race while another address is pending`() async throws {
    try await withLoop { loop in
      let silent = SilentPort()
      let refusing = RawSocket.bound()
      let (connector, outcome) = try await race([silent.port, refusing.port], on: loop)
      await advance(250, loop)
      await advance(10_000, loop)
      #expect(outcome.value == nil)
      await loop.run { connector.cancel() }
      await advance(10_000, loop)
      #expect(outcome.value == nil)
      refusing.close()
    }
  }

  @Test func `the losing addresses are closed, and so are all on cancellation`() async {
    // In a process of its own: descriptors are counted for the whole process.
    await #expect(processExitsWith: .success) {
      let tests = AddressRaceTests()
      let loop = try EventLoop(name: "test")
      let silent = [SilentPort(), SilentPort()]
      let listening = RawSocket.bound()
      listening.listen(backlog: 64)
      let before = try await descriptorsAtFirst()
      for _ in 0..<10 {
        let ports = silent.map(\.port)
        let (_, outcome) = try await tests.race(ports + [listening.port], on: loop)
        await tests.advance(250, loop)
        await tests.advance(250, loop)
        await outcome.wait { $0 != nil }
        let (connector, _) = try await tests.race(ports, on: loop)
        await tests.advance(250, loop)
        await loop.run { connector.cancel() }
      }
      #expect(openDescriptors() <= before)
    }
  }
}

@Suite(.workerPool) struct TransportErrorTests {
  @Test func `each transport error has a description of one line`() {
    let lines = [
      TransportError.hostNotFound(host: "a.example", reason: "no address").description,
      TransportError.refused(address: "127.0.0.1:80").description,
      TransportError.timedOut(address: "a.example:80").description,
      TransportError.system(errno: 24, operation: "accept").description,
    ]
    #expect(
      lines == [
        "no address found for a.example: no address",
        "127.0.0.1:80 refused the connection",
        "a.example:80 does not answer",
        "accept failed: Too many open files",
      ]
    )
  }
}
