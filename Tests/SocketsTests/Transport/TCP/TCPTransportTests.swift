import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TCPTransportTests {
  /// Connects a socket to a recorded transport, which a listener has accepted.
  private func rawPeer(
    _ loop: EventLoop
  ) async throws -> (TCPListener, peer: RawSocket, server: Recorder) {
    let accepted = Watched<Recorder?>(nil)
    let listener = try TCPListener(loop: loop)
    listener.start { transport in
      let recorder = Recorder(transport)
      transport.start(recorder)
      accepted.update { $0 = recorder }
    }
    let peer = RawSocket.connected(to: listener.port)
    await accepted.wait { $0 != nil }
    return (listener, peer, try #require(accepted.value))
  }

  @Test(arguments: [1, 65_536, 16 << 20])
  func `an echo returns every byte`(count: Int) async throws {
    try await withLoop { loop in
      let listener = try TCPListener(loop: loop)
      listener.start { $0.start(Echo($0)) }
      let client = Recorder(TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
      await client.start()
      client.send(pattern(count))
      await client.log.wait { $0.received.count >= count }
      client.transport.closeWriting()
      await client.log.wait { $0.isClosed }
      let log = client.log.value
      expectSame(log.received, pattern(count))
      #expect((log.opened, log.ended, log.closed, log.strayCalls) == (1, 1, [nil], 0))
      listener.close()
    }
  }

  @Test(arguments: [1, 65_536, 16 << 20])
  func `both directions carry every byte at once`(count: Int) async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      connection.client.send(pattern(count, seed: 1))
      connection.server.send(pattern(count, seed: 2))
      await connection.client.log.wait { $0.received.count >= count }
      await connection.server.log.wait { $0.received.count >= count }
      expectSame(connection.client.log.value.received, pattern(count, seed: 2))
      expectSame(connection.server.log.value.received, pattern(count, seed: 1))
    }
  }

  @Test func `two loops serve the two ends`() async throws {
    try await withLoop { loop in
      try await withLoop { other in
        let listener = try TCPListener(loop: other)
        listener.start { $0.start(Echo($0)) }
        let client = Recorder(TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
        await client.start()
        client.send(pattern(1 << 20))
        await client.log.wait { $0.received.count >= 1 << 20 }
        expectSame(client.log.value.received, pattern(1 << 20))
      }
    }
  }

  // MARK: Backpressure

  @Test func `a full socket takes less, and tells once there is room`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      let (client, server) = (connection.client, connection.server)
      server.transport.setReading(false)
      let count = 64 << 20
      client.send(pattern(count))
      // The system moves on what it has taken, and has room again, until the way there is full too.
      let sent = await loop.stableCount { client.sent }
      #expect(sent < count)
      let before = await loop.run { (told: client.log.value.writable, sent: client.sent) }
      await loop.settle(turns: 50)
      let after = await loop.run { (told: client.log.value.writable, sent: client.sent) }
      // Whoever is told has room.
      #expect(after.told == before.told || after.sent > before.sent)
      server.transport.setReading(true)
      await server.log.wait { $0.received.count >= count }
      #expect(client.log.value.writable > after.told)
      expectSame(server.log.value.received, pattern(count))
    }
  }

  @Test func `paused reading delivers nothing, and resuming loses nothing`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      connection.server.transport.setReading(false)
      connection.client.send(pattern(100_000))
      connection.client.transport.closeWriting()
      await loop.settle(turns: 50)
      #expect(connection.server.log.value.received.isEmpty)
      #expect(connection.server.log.value.ended == 0)
      connection.server.transport.setReading(true)
      await connection.server.log.wait { $0.ended == 1 }
      expectSame(connection.server.log.value.received, pattern(100_000))
    }
  }

  @Test func `what had arrived before a pause within a delivery comes after it`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop) { recorder, _ in
        recorder.transport.setReading(false)
      }
      // More than one read, all of it there before the first.
      connection.server.transport.setReading(false)
      connection.client.send(pattern(150_000))
      await loop.settle(turns: 50)
      for deliveries in 1...3 {
        connection.server.transport.setReading(true)
        await connection.server.log.wait { $0.deliveries >= deliveries }
        await loop.settle()
        #expect(connection.server.log.value.deliveries == deliveries)
      }
      expectSame(connection.server.log.value.received, pattern(150_000))
    }
  }

  @Test func `one turn reads at most eight times, and the next goes on`() async throws {
    try await withLoop(scratchSize: 1_000) { loop in
      let perTurn = Watched<[Int]>([])
      let current = Locked(0)
      let connection = try await Loopback(loop) { _, _ in
        let isFirst = current.withLock { count in
          count += 1
          return count == 1
        }
        guard isFirst else { return }
        loop.endOfTurn {
          let count = current.withLock { count in
            defer { count = 0 }
            return count
          }
          perTurn.update { $0.append(count) }
        }
      }
      connection.server.transport.setReading(false)
      connection.client.send(pattern(40_000))
      await loop.settle(turns: 50)
      connection.server.transport.setReading(true)
      await perTurn.wait { $0.reduce(0, +) == 40 }
      // Fewer, when the time of a turn is up before.
      #expect(perTurn.value.allSatisfy { $0 <= 8 })
      await connection.server.log.wait { $0.received.count == 40_000 }
      expectSame(connection.server.log.value.received, pattern(40_000))
    }
  }

  @Test func `bytes behind one that is marked as urgent are read`() async throws {
    try await withLoop { loop in
      let (listener, peer, server) = try await rawPeer(loop)
      server.transport.setReading(false)
      await loop.settle()
      peer.send([1, 2, 3])
      peer.send([99], urgent: true)
      peer.send([4, 5, 6])
      await loop.settle(turns: 50)
      server.transport.setReading(true)
      // The system leaves the urgent byte out.
      await server.log.wait { $0.received == [1, 2, 3, 4, 5, 6] }
      peer.reset()
      await server.log.wait { $0.isClosed }
      listener.close()
    }
  }

  // MARK: Ending

  @Test func `half close ends one direction and leaves the other`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      connection.client.send([1, 2, 3])
      connection.client.transport.closeWriting()
      await connection.server.log.wait { $0.ended == 1 }
      #expect(connection.server.log.value.received == [1, 2, 3])
      #expect([9].withUnsafeBytes { connection.client.transport.write($0) } == 0)
      connection.server.send([4, 5])
      await connection.client.log.wait { $0.received == [4, 5] }
      #expect(!connection.server.log.value.isClosed)
      connection.server.transport.closeWriting()
      await connection.client.log.wait { $0.isClosed }
      await connection.server.log.wait { $0.isClosed }
      #expect(connection.client.log.value.closed == [nil])
      #expect(connection.server.log.value.closed == [nil])
      #expect(connection.client.log.value.ended == 1)
    }
  }

  @Test func `close is told once, however often and from wherever it is called`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { connection.client.transport.close() } }
      }
      await connection.client.log.wait { $0.isClosed }
      connection.client.transport.close()
      await connection.server.log.wait { $0.ended == 1 }
      await loop.settle()
      #expect(connection.client.log.value.closed == [nil])
      #expect(connection.client.log.value.strayCalls == 0)
    }
  }

  @Test func `on the loop, close silences everything but the last call`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop) { recorder, _ in recorder.transport.close() }
      connection.server.transport.setReading(false)
      connection.client.send(pattern(500_000))
      await loop.settle(turns: 50)
      connection.server.transport.setReading(true)
      await connection.server.log.wait { $0.isClosed }
      #expect(connection.server.log.value.deliveries == 1)
      #expect(connection.server.log.value.closed == [nil])
    }
  }

  @Test func `close from another thread during a delivery is safe`() async throws {
    try await withLoop { loop in
      for _ in 0..<50 {
        let isReceiving = Watched(false)
        let connection = try await Loopback(loop) { _, _ in isReceiving.update { $0 = true } }
        connection.client.send(pattern(4 << 20))
        await isReceiving.wait { $0 }
        connection.server.transport.close()
        await connection.server.log.wait { $0.isClosed }
        await connection.client.log.wait { $0.isClosed || $0.ended == 1 }
        connection.client.transport.close()
        await connection.client.log.wait { $0.isClosed }
        #expect(connection.server.log.value.strayCalls == 0)
        #expect(connection.client.log.value.strayCalls == 0)
        connection.listener.close()
      }
    }
  }

  @Test func `a transport closed before it starts says so when it does`() async throws {
    try await withLoop { loop in
      let client = Recorder(TCPTransport(host: "127.0.0.1", port: 1, loop: loop))
      client.transport.close()
      await client.start()
      #expect(client.log.value.opened == 0)
      #expect(client.log.value.closed == [nil])
    }
  }

  @Test func `a stopped loop closes its connections`() async throws {
    let loop = try EventLoop(name: "stopping")
    let connection = try await Loopback(loop)
    let connecting = Recorder(TCPTransport(host: "localhost", port: 1, loop: loop))
    connecting.transport.start(connecting)
    loop.stop()
    #expect(connection.client.log.value.closed == [nil])
    #expect(connection.server.log.value.closed == [nil])
    #expect(connecting.log.value.closed.count == 1)
  }

  @Test func `a reset is told as one, after the bytes before it`() async throws {
    try await withLoop { loop in
      let (listener, peer, server) = try await rawPeer(loop)
      peer.send([1, 2, 3])
      await server.log.wait { $0.received == [1, 2, 3] }
      peer.reset()
      await server.log.wait { $0.isClosed }
      #expect(server.log.value.closed == [.reset])
      #expect([9].withUnsafeBytes { server.transport.write($0) } == 0)
      listener.close()
    }
  }

  @Test func `writing to a peer that has gone closes with a reset`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      connection.server.transport.close()
      await connection.client.log.wait { $0.ended == 1 }
      // The first bytes provoke the reset, later ones meet it.
      for _ in 0..<100_000 where !connection.client.log.value.isClosed {
        connection.client.send([1])
        await loop.settle(turns: 1)
      }
      #expect(connection.client.log.value.closed == [.reset])
    }
  }
}
