import Reactive
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(1))) struct TCPConnectorTests {
  private func connect(
    _ host: String,
    _ port: UInt16,
    timeout: Duration = .seconds(10),
    on loop: EventLoop
  ) async -> Recorder.Log {
    let client = Recorder(TCPTransport(host: host, port: port, timeout: timeout, loop: loop))
    await client.start()
    client.transport.close()
    await client.log.wait { $0.isClosed }
    return client.log.value
  }

  @Test func `a port where nobody listens refuses`() async throws {
    try await withLoop { loop in
      // Bound and not listening: no other process can take the port meanwhile.
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

  @Test func `a name with a zero byte is not looked up`() async throws {
    try await withLoop { loop in
      let log = await connect("localhost\0.example", 80, on: loop)
      guard case .hostNotFound = log.closed.first else {
        Issue.record("\(log.closed)")
        return
      }
    }
  }

  @Test func `a name connects, to whichever of its addresses answers`() async throws {
    try await withLoop { loop in
      let listener = try TCPListener(host: "127.0.0.1", loop: loop)
      listener.start { $0.start(Echo($0)) }
      let log = await connect("localhost", listener.port, on: loop)
      #expect(log.opened == 1)
      #expect(log.closed == [nil])
      listener.close()
    }
  }

  @Test func `addresses are tried in order, and the error of the last counts`() async throws {
    try await withLoop { loop in
      let listening = RawSocket.bound()
      listening.listen(backlog: 8)
      let refusing = [RawSocket.bound(), RawSocket.bound()]
      @Sendable func outcome(of ports: [UInt16]) async throws -> TransportError? {
        let addresses = try ports.flatMap { port throws(TransportError) in
          try SocketAddress.find("127.0.0.1", port: port, .literal)
        }
        return await withCheckedContinuation { continuation in
          loop.execute {
            let connector = TCPConnector(host: "test", port: 0, timeout: .seconds(10), loop: loop)
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

  @Test func `an IPv6 address connects`() async throws {
    try await withLoop { loop in
      guard let listener = try? TCPListener(host: "::1", loop: loop) else { return }
      listener.start { $0.start(Echo($0)) }
      let log = await connect("::1", listener.port, on: loop)
      #expect(log.closed == [nil])
      listener.close()
    }
  }

  @Test func `a host that never answers ends at the deadline`() async throws {
    try await withLoop { loop in
      let listener = RawSocket.bound()
      listener.listen(backlog: 0)
      // A full backlog: the kernel ignores whoever else knocks.
      let crowd = (0..<4).map { _ in RawSocket.bound() }
      for one in crowd { one.beginConnecting(to: listener.port) }
      let limit = Duration.milliseconds(200)
      let start = ContinuousClock.now
      let log = await connect("127.0.0.1", listener.port, timeout: limit, on: loop)
      #expect(ContinuousClock.now - start >= limit)
      let expected = TransportError.timedOut(address: "127.0.0.1:\(listener.port)", after: limit)
      #expect(log.closed == [expected])
      for one in crowd + [listener] { one.close() }
    }
  }

  @Test func `closing while connecting ends it without an error`() async throws {
    try await withLoop { loop in
      for host in ["127.0.0.1", "localhost"] {
        let owner = RawSocket.bound()
        owner.listen(backlog: 8)
        let client = Recorder(TCPTransport(host: host, port: owner.port, loop: loop))
        // Both in one turn: on this machine the connection would be there in the next.
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

@Suite struct TransportErrorTests {
  @Test func `each error is one clear line`() {
    let lines = [
      TransportError.hostNotFound(host: "a.example", reason: "no address").description,
      TransportError.refused(address: "127.0.0.1:80").description,
      TransportError.timedOut(address: "a.example:80", after: .seconds(10)).description,
      TransportError.system(errno: 24, operation: "accept").description,
    ]
    #expect(
      lines == [
        "no address found for a.example: no address",
        "127.0.0.1:80 refused the connection",
        "no connection to a.example:80 within 10.0 seconds",
        "accept failed: Too many open files",
      ]
    )
  }
}
