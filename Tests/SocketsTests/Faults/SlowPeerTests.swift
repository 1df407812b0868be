import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Connected peers that hardly make progress, in virtual time.
@Suite("A slow peer", .workerPool)
struct SlowPeerTests {
  private let time = VirtualTime()

  private var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    return configuration
  }

  @Test(arguments: Side.allCases)
  func `a peer that sends its handshake byte by byte is dropped after ten seconds`(side: Side)
    async throws
  {
    try await withLoop { loop in
      let faulty = await FaultyPeer(side, loop, configuration)
      for byte in try await faulty.handshake().prefix(10) {
        #expect(faulty.recorder.value.closeCode == nil)
        faulty.peer.send([byte])
        await loop.settle()
        time.advance(by: .seconds(1))
      }
      await faulty.recorder.waitUntilOver()
      #expect(faulty.recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
      await faulty.peer.log.wait { $0.ended == 1 || $0.isClosed }
    }
  }

  @Test func `a peer that sends its TLS handshake byte by byte is dropped after ten seconds`()
    async throws
  {
    try await withLoop { loop in
      var served = TLSConfiguration()
      served.identity = Certificates.good
      let (near, far) = MemoryTransport.pair(loop: loop)
      let transport = TLSTransport(over: near, try OpenSSL().makeSession(.server, served))
      let socket = WebSocket.server(over: transport, configuration: configuration)
      let recorder = SocketEventRecorder(socket)
      let peer = TransportRecorder(far)
      await peer.start()
      socket.connect()
      // The header of a ClientHello's record.
      for byte: UInt8 in [22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3] {
        #expect(recorder.value.closeCode == nil)
        peer.send([byte])
        await loop.settle()
        time.advance(by: .seconds(1))
      }
      await recorder.waitUntilOver()
      #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    }
  }

  @Test func `slow handshakes do not keep a server from serving other clients`() async throws {
    let server = try WebSocketServer(configuration: configuration)
    var slow: [TransportRecorder] = []
    for _ in 0..<50 {
      let peer = await RawClient.connected(to: server)
      peer.send([0x47])
      slow.append(peer)
    }
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    time.advance(by: .seconds(10))
    for peer in slow { await peer.log.wait { $0.ended == 1 || $0.isClosed } }
    #expect(socket.state == .connected)
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
  }

  @Test(arguments: Side.allCases)
  func `a peer that reads nothing does not prevent a close`(side: Side) async throws {
    try await withLoop { loop in
      let faulty = await FaultyPeer(side, loop, configuration)
      faulty.peer.send(try await faulty.handshake())
      await faulty.recorder.waitUntilConnected()
      // Half-open: the peer's machine has vanished without a FIN or RST.
      faulty.peer.transport.setReading(false)
      try faulty.socket.send(Data(count: 1 << 20))
      faulty.socket.close()
      await loop.settle()
      time.advance(by: .seconds(4))
      await loop.settle()
      #expect(faulty.recorder.value.closeCode == nil)
      time.advance(by: .seconds(1))
      await faulty.recorder.waitUntilOver()
      #expect(faulty.recorder.value.failure == .closeTimedOut(after: .seconds(5)))
    }
  }

  @Test(arguments: Side.allCases)
  func `a half close by the peer is answered, and both sides end`(side: Side) async throws {
    try await withLoop { loop in
      let faulty = await FaultyPeer(side, loop, configuration)
      faulty.peer.send(try await faulty.handshake())
      await faulty.recorder.waitUntilConnected()
      try faulty.socket.send("last words")
      faulty.peer.transport.closeWriting()
      await faulty.recorder.waitUntilOver()
      #expect(faulty.recorder.value.failure == .connectionLost)
      // Bytes that were sent before still arrive.
      await faulty.peer.log.wait { $0.isClosed }
      let words = side.outgoing(0x81, Array("last words".utf8))
      #expect(faulty.peer.log.value.received.count > words.count)
      #expect(faulty.peer.log.value.closed == [nil])
    }
  }
}
