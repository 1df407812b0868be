import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Both sides of TLS by OpenSSL over a memory pair.
@Suite("TLS over a transport", .workerPool)
struct TLSTransportTests {
  // MARK: Bytes

  @Test(arguments: [(65_536, Int.max), (1_000, .max), (65_536, 1), (7, 3)])
  func `a TLS transport carries every byte both ways`(capacity: Int, maximumDelivery: Int)
    async throws
  {
    try await withLoop { loop in
      let (client, server) = try await securedPair(
        loop,
        capacity: capacity,
        maximumDelivery: maximumDelivery
      )
      let count = maximumDelivery == 1 || capacity < 100 ? 5_000 : 1_000_000
      client.send(pattern(count, seed: 1))
      await server.log.wait { $0.opened == 1 }
      server.send(pattern(count, seed: 2))
      await client.log.wait { $0.received.count >= count }
      await server.log.wait { $0.received.count >= count }
      expectSame(client.log.value.received, pattern(count, seed: 2))
      expectSame(server.log.value.received, pattern(count, seed: 1))
      #expect(client.log.value.strayCalls + server.log.value.strayCalls == 0)
    }
  }

  @Test func `a TLS transport encrypts its bytes`() async throws {
    try await withLoop { loop in
      let wire = Watched<[UInt8]>([])
      let (near, far) = MemoryTransport.pair(loop: loop)
      let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
      let client = TransportRecorder(TLSTransport(over: near, session))
      let listener = TransportRecorder(far) { _, bytes in wire.update { $0 += bytes } }
      listener.transport.start(listener)
      client.transport.start(client)
      await wire.wait { $0.count > 100 }
      let text = String(decoding: wire.value, as: Unicode.ASCII.self)
      // A handshake record; the name and the protocol are not encrypted.
      #expect(wire.value.first == 22)
      #expect(text.contains("localhost") && text.contains("http/1.1"))
      #expect(client.log.value.opened == 0)
    }
  }

  @Test func `a TLS transport accepts no bytes before it is open`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
      let transport = TLSTransport(over: near, session)
      #expect(pattern(1).withUnsafeBytes { transport.write($0) } == 0)
      transport.close()
      far.close()
      await loop.settle()
    }
  }

  @Test func `a TLS transport with paused reading delivers nothing and loses nothing`() async throws
  {
    try await withLoop { loop in
      let (client, server) = try await securedPair(loop)
      await server.log.wait { $0.opened == 1 }
      client.transport.setReading(false)
      await loop.settle()
      server.send(pattern(500_000))
      await loop.settle(turns: 20)
      #expect(client.log.value.received.isEmpty)
      // The backpressure reaches the other end.
      #expect(server.sent < 500_000)
      client.transport.setReading(true)
      await client.log.wait { $0.received.count == 500_000 }
      expectSame(client.log.value.received, pattern(500_000))
    }
  }

  @Test func `a reader that pauses at each delivery receives all bytes`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      var served = TLSConfiguration()
      served.identity = Certificates.good
      let client = TransportRecorder(
        TLSTransport(
          over: near,
          try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
        )
      ) { recorder, _ in
        recorder.transport.setReading(false)
        loop.execute { recorder.transport.setReading(true) }
      }
      let server = TransportRecorder(
        TLSTransport(over: far, try OpenSSL().makeSession(.server, served))
      )
      server.transport.start(server)
      await client.start()
      await server.log.wait { $0.opened == 1 }
      server.send(pattern(300_000))
      await client.log.wait { $0.received.count == 300_000 }
      expectSame(client.log.value.received, pattern(300_000))
      server.transport.closeWriting()
      await client.log.wait { $0.ended == 1 }
    }
  }

  // MARK: The end

  @Test func `close_notify ends its direction, and both sides close the connection`() async throws {
    try await withLoop { loop in
      let (client, server) = try await securedPair(loop)
      client.send([1, 2])
      client.transport.closeWriting()
      await server.log.wait { $0.ended == 1 }
      #expect(server.log.value.received == [1, 2])
      server.send([3])
      await client.log.wait { $0.received == [3] }
      #expect(pattern(1).withUnsafeBytes { client.transport.write($0) } == 0)
      server.transport.closeWriting()
      for end in [client, server] {
        await end.log.wait { $0.isClosed }
        #expect(end.log.value.closed == [nil] && end.log.value.ended == 1)
      }
    }
  }

  @Test func `close sends close_notify`() async throws {
    try await withLoop { loop in
      let (client, server) = try await securedPair(loop)
      await server.log.wait { $0.opened == 1 }
      client.transport.close()
      await server.log.wait { $0.ended == 1 }
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [nil])
      #expect(!server.log.value.isClosed)
      server.transport.close()
      await server.log.wait { $0.isClosed }
      #expect(server.log.value.closed == [nil])
    }
  }

  @Test func `an end without close_notify is an error after the received bytes`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, server) = try await securedPair(near, far)
      server.send([1, 2, 3])
      await client.log.wait { $0.received == [1, 2, 3] }
      // Below TLS, as a machine on the path would.
      far.closeWriting()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.tls(.truncated)])
      #expect(client.log.value.ended == 0)
    }
  }

  @Test func `a reset of a TLS connection is a reset`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, _) = try await securedPair(near, far)
      near.fail(.reset)
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.reset])
    }
  }

  @Test func `a changed byte of a TLS record is an error`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, _) = try await securedPair(near, far)
      // A record of application data that was not made with the keys.
      _ = ([23, 3, 3, 0, 32] + pattern(32)).withUnsafeBytes { far.write($0) }
      await client.log.wait { $0.isClosed }
      guard case .tls(.failed(let reason)) = client.log.value.closed.first else {
        Issue.record("\(client.log.value.closed)")
        return
      }
      #expect(!reason.isEmpty)
    }
  }

  @Test func `each malformed or interrupted TLS handshake has its own error`() async throws {
    try await withLoop { loop in
      for (bytes, error) in [
        ([], TLSError.handshakeInterrupted), ([22, 3, 3, 0], .handshakeInterrupted),
        (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .plainHTTP),
        (Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), .notTLS), (Array("HTTQ/1.1".utf8), .notTLS),
        // protocol_version, as a TLS 1.1 server sends it.
        ([21, 3, 1, 0, 2, 2, 70], .protocolTooOld),
        ([21, 3, 3, 0, 2, 2, 48], .refused(alert: 48, reason: "unknown_ca")),
      ] as [([UInt8], TLSError)] {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
        let client = TransportRecorder(TLSTransport(over: near, session))
        let peer = TransportRecorder(far)
        peer.transport.start(peer)
        client.transport.start(client)
        await peer.log.wait { !$0.received.isEmpty }
        peer.send(bytes)
        peer.transport.closeWriting()
        await client.log.wait { $0.isClosed }
        #expect(client.log.value.closed == [.tls(error)])
        #expect(client.log.value.opened == 0)
      }
    }
  }

  @Test func `an HTTP response to a TLS client is recognised when it arrives byte by byte`()
    async throws
  {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop, maximumDelivery: 1)
      let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
      let client = TransportRecorder(TLSTransport(over: near, session))
      let peer = TransportRecorder(far)
      peer.transport.start(peer)
      client.transport.start(client)
      await peer.log.wait { !$0.received.isEmpty }
      peer.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.tls(.plainHTTP)])
    }
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "hello"])
  func `a TLS server answers bytes that are not TLS with an alert`(request: String) async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      var served = TLSConfiguration()
      served.identity = Certificates.good
      let server = TransportRecorder(
        TLSTransport(over: far, try OpenSSL().makeSession(.server, served)))
      let client = TransportRecorder(near)
      server.transport.start(server)
      await client.start()
      client.send(Array(request.utf8))
      await client.log.wait { $0.ended == 1 }
      // RFC 8446, 6.2: unexpected_message, fatal.
      #expect(client.log.value.received == [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0A])
      await server.log.wait { $0.isClosed }
      #expect(server.log.value.closed == [.tls(.notTLS)])
    }
  }

  @Test func `closing before or during the TLS handshake ends it without an error`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
      let client = TransportRecorder(TLSTransport(over: near, session))
      let peer = TransportRecorder(far)
      peer.transport.start(peer)
      client.transport.start(client)
      await peer.log.wait { !$0.received.isEmpty }
      client.transport.close()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [nil])
      let (other, _) = MemoryTransport.pair(loop: loop)
      let unstarted = TransportRecorder(
        TLSTransport(
          over: other,
          try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
        )
      )
      unstarted.transport.close()
      unstarted.transport.start(unstarted)
      await unstarted.log.wait { $0.isClosed }
      #expect(unstarted.log.value.closed == [nil] && unstarted.log.value.opened == 0)
    }
  }

  @Test func `a closed TLS connection is released`() async throws {
    try await withLoop { loop in
      weak var transport: TLSTransport?
      weak var session: OpenSSLSession?
      do {
        let made = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
        session = made as? OpenSSLSession
        let (near, far) = MemoryTransport.pair(loop: loop)
        let client = TransportRecorder(TLSTransport(over: near, made))
        transport = client.transport as? TLSTransport
        #expect(transport != nil && session != nil)
        client.transport.start(client)
        await loop.settle()
        client.transport.close()
        await client.log.wait { $0.isClosed }
        far.close()
      }
      await loop.settle()
      #expect(transport == nil && session == nil)
    }
  }
}
