import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TCPTransportTests {
  /// Connects a socket to an accepted and recorded transport.
  private func rawPeer(
    _ loop: EventLoop
  ) async throws -> (TCPListener, peer: RawSocket, server: TransportRecorder) {
    let accepted = Watched<TransportRecorder?>(nil)
    let listener = try TCPListener(loop: loop)
    listener.startTransports { transport in
      let recorder = TransportRecorder(transport)
      transport.start(recorder)
      accepted.update { $0 = recorder }
    }
    let peer = RawSocket.connected(to: listener.port)
    await accepted.wait { $0 != nil }
    return (listener, peer, try #require(accepted.value))
  }

  @Test(arguments: [1, 65_536, 16 << 20])
  func `a TCP echo returns every byte`(count: Int) async throws {
    try await withLoop { loop in
      let listener = try TCPListener(loop: loop)
      listener.startTransports { $0.start(EchoHandler($0)) }
      let client = TransportRecorder(
        TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
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
  func `a TCP transport carries every byte in both directions at once`(count: Int) async throws {
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

  @Test func `two loops serve the two ends of a TCP connection`() async throws {
    try await withLoop { loop in
      try await withLoop { other in
        let listener = try TCPListener(loop: other)
        listener.startTransports { $0.start(EchoHandler($0)) }
        let client = TransportRecorder(
          TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
        await client.start()
        client.send(pattern(1 << 20))
        await client.log.wait { $0.received.count >= 1 << 20 }
        expectSame(client.log.value.received, pattern(1 << 20))
      }
    }
  }

  // MARK: Backpressure

  @Test func `a full socket accepts part of a write, and notifies of room`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      let (client, server) = (connection.client, connection.server)
      server.transport.setReading(false)
      let count = 64 << 20
      client.send(pattern(count))
      // The system moves bytes on and has room again, until the receiver's buffer is full too.
      let sent = await loop.stableCount { client.sent }
      #expect(sent < count)
      let before = await loop.run { (writable: client.log.value.writable, sent: client.sent) }
      await loop.settle(turns: 50)
      let after = await loop.run { (writable: client.log.value.writable, sent: client.sent) }
      // Each notification comes with room.
      #expect(after.writable == before.writable || after.sent > before.sent)
      server.transport.setReading(true)
      await server.log.wait { $0.received.count >= count }
      #expect(client.log.value.writable > after.writable)
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

  @Test func `a pause within a delivery defers the remaining bytes`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop) { recorder, _ in
        recorder.transport.setReading(false)
      }
      // More than one read, and all bytes are there before the first.
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

  @Test func `one turn reads at most eight times, and the next turn continues`() async throws {
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
      // Fewer, when the time of a turn ends first.
      #expect(perTurn.value.allSatisfy { $0 <= 8 })
      await connection.server.log.wait { $0.received.count == 40_000 }
      expectSame(connection.server.log.value.received, pattern(40_000))
    }
  }

  @Test func `bytes after urgent data are read`() async throws {
    try await withLoop { loop in
      let (listener, peer, server) = try await rawPeer(loop)
      server.transport.setReading(false)
      await loop.settle()
      peer.send([1, 2, 3])
      peer.send([99], urgent: true)
      peer.send([4, 5, 6])
      await loop.settle(turns: 50)
      server.transport.setReading(true)
      // The system omits the urgent byte.
      await server.log.wait { $0.received == [1, 2, 3, 4, 5, 6] }
      peer.reset()
      await server.log.wait { $0.isClosed }
      listener.close()
    }
  }

  // MARK: Ending

  @Test func `a half close ends one direction and keeps the other`() async throws {
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

  @Test func `close is reported once for any number of calls on any thread`() async throws {
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

  @Test func `after close on the loop only the close callback is made`() async throws {
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

  @Test func `a close from another thread during a delivery is safe`() async throws {
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

  @Test func `a transport that is closed before its start reports the close on start`() async throws
  {
    try await withLoop { loop in
      let client = TransportRecorder(TCPTransport(host: "127.0.0.1", port: 1, loop: loop))
      client.transport.close()
      await client.start()
      #expect(client.log.value.opened == 0)
      #expect(client.log.value.closed == [nil])
    }
  }

  @Test func `a stopped loop closes its connections`() async throws {
    let loop = try EventLoop(name: "stopping")
    let connection = try await Loopback(loop)
    let connecting = TransportRecorder(TCPTransport(host: "localhost", port: 1, loop: loop))
    connecting.transport.start(connecting)
    loop.stop()
    #expect(connection.client.log.value.closed == [nil])
    #expect(connection.server.log.value.closed == [nil])
    #expect(connecting.log.value.closed.count == 1)
  }

  @Test func `a reset is reported after the bytes before it`() async throws {
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

  @Test func `writing to a closed peer closes with a reset`() async throws {
    try await withLoop { loop in
      let connection = try await Loopback(loop)
      connection.server.transport.close()
      await connection.client.log.wait { $0.ended == 1 }
      // The first bytes cause the reset, and later ones fail with it.
      for _ in 0..<100_000 where !connection.client.log.value.isClosed {
        connection.client.send([1])
        await loop.settle(turns: 1)
      }
      #expect(connection.client.log.value.closed == [.reset])
    }
  }
}
