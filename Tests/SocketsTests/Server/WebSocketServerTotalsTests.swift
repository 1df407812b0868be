import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The totals of a server", .workerPool) struct WebSocketServerTotalsTests {
  @Test func `totals count open connections, ends by code, and transferred bytes`() async throws {
    try await withLoop { loop in
      var admission = WebSocketAdmission()
      admission.origins = .only(["https://example.com"], allowsNone: true)
      let sockets = ConnectionRegistry(.init().onStoppedClock, admission)
      func come(_ bytes: [UInt8]) async -> TransportRecorder {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let peer = TransportRecorder(far)
        await peer.start()
        sockets.accept(near)
        peer.send(bytes)
        await loop.settle()
        return peer
      }
      let request = Array(RawClient.request.utf8)
      let message = Wire.frame(0x81, "abc", masked: true)
      let leaving = await come(request + message + Wire.frame(0x88, [0x03, 0xE8], masked: true))
      let staying = await come(request + message + message)
      let lost = await come(request)
      let refused = await come(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let waiting = await come([])
      for peer in [leaving, lost, refused] { peer.transport.close() }
      await loop.settle()
      let totals = sockets.totals
      #expect(totals.open == 1 && totals.handshaking == 1 && totals.accepted == 5)
      #expect(totals.opened == 3 && totals.refused == [426: 1])
      #expect(totals.closed == [.normal: 1, .abnormal: 1])
      #expect(totals.messagesReceived == 3 && totals.messagesSent == 0)
      #expect(totals.bytesReceived == 3 * request.count + 3 * message.count + 8 + 27)
      #expect(totals.queuedBytes == 0)
      for peer in [staying, waiting] { peer.transport.close() }
    }
  }

  @Test func `totals count responses by status, and connections without a request`() async throws {
    try await withLoop { loop in
      let time = VirtualTime()
      var configuration = WebSocketConfiguration()
      configuration.scheduler = time.scheduler
      let sockets = ConnectionRegistry(configuration, .init()) {
        .text("ok", status: $0.path == "/" ? 200 : 404)
      }
      var peers: [TransportRecorder] = []
      for bytes in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HT", ""] {
        let (near, far) = MemoryTransport.pair(loop: loop)
        let peer = TransportRecorder(far)
        await peer.start()
        sockets.accept(near)
        peer.send(Array(bytes.utf8))
        peers.append(peer)
      }
      await peers[0].log.wait { $0.received.ends(with: Array("ok".utf8)) }
      peers[0].send(Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      await peers[0].log.wait { String(decoding: $0.received, as: UTF8.self).contains(" 404 ") }
      await loop.settle()
      time.advance(by: .seconds(10))
      await sockets.ended()
      #expect(sockets.totals.answered == [200: 1, 404: 1])
      // The first client has its answer.
      #expect(sockets.totals.timedOut == 2 && sockets.totals.opened == 0)
    }
  }

  @Test
  func
    `totals are emitted periodically, and a last time when the closed server's connections have ended`()
    async throws
  {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    configuration.closeTimeout = .seconds(60)
    let server = try WebSocketServer(configuration: configuration)
    let accepted = Watched<[Int]>([])
    let isOver = Watched(false)
    let subscription = server.totals(every: .seconds(5)).subscribe(
      onNext: { totals in accepted.update { $0.append(totals.accepted) } },
      onCompleted: { isOver.update { $0 = true } })
    await accepted.wait { $0 == [0] }
    let peer = await RawClient.upgraded(by: server)
    await EventLoop.shared.settle()
    time.advance(by: .seconds(5))
    await accepted.wait { $0 == [0, 1] }
    await EventLoop.shared.settle()
    server.close()
    await EventLoop.shared.settle()
    time.advance(by: .seconds(5))
    await accepted.wait { $0 == [0, 1, 1] }
    // The client has not answered the close.
    #expect(!isOver.value)
    peer.transport.close()
    await server.shutDown()
    time.advance(by: .seconds(5))
    await isOver.wait { $0 }
    #expect(accepted.value == [0, 1, 1, 1])
    subscription.dispose()
  }

  @Test func `a disposed observer of the totals receives nothing`() async throws {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let server = try WebSocketServer(configuration: configuration)
    let count = Watched(0)
    let subscription = server.totals().subscribe(onNext: { _ in count.update { $0 += 1 } })
    await count.wait { $0 == 1 }
    subscription.dispose()
    time.advance(by: .seconds(10))
    await EventLoop.shared.settle()
    #expect(count.value == 1)
  }
}
