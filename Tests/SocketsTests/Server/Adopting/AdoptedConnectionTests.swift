import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("Adopted connections", .workerPool) struct AdoptedConnectionTests {
  private func server(
    _ admission: WebSocketAdmission = .init(), echoes: DisposeBag
  ) throws -> (WebSocketServer, Watched<[WebSocket]>) {
    let server = try WebSocketServer.withoutListener(
      configuration: .init().onStoppedClock, admission: admission)
    let sockets = Watched<[WebSocket]>([])
    server.connections.subscribe(onNext: { socket in
      sockets.update { $0.append(socket) }
      socket.messages.subscribe(onNext: { [weak socket] in try? socket?.send($0) })
        .disposed(by: echoes)
    }).disposed(by: echoes)
    return (server, sockets)
  }

  @Test func `a server without a listener has no port and no URL`() throws {
    let server = try WebSocketServer.withoutListener()
    #expect(server.port == 0)
    #expect(server.url.isEmpty)
  }

  @Test func `an adopted connection is answered, echoes, and ends by its close frames`()
    async throws
  {
    let bag = DisposeBag()
    let (server, sockets) = try server(echoes: bag)
    // The first frame arrives in one piece with the request.
    let peer = await AdoptedPeer.upgraded(
      by: server, then: Wire.frame(0x81, "hi", masked: true))
    await peer.calls.wait { $0.written == Wire.frame(0x81, "hi", masked: false) }
    await sockets.wait { $0.count == 1 }
    #expect(sockets.value[0].request?.path == "/chat")
    #expect(sockets.value[0].peerAddress == NetworkAddress("192.0.2.1", port: 7))
    #expect(server.totals.open == 1)

    peer.connection?.receive(Wire.frame(0x88, [0x03, 0xE8], masked: true))
    await peer.calls.wait { $0.ends == 1 }
    #expect(peer.calls.value.written.suffix(4) == [0x88, 0x02, 0x03, 0xE8])
    peer.connection?.receiveEnd()
    await peer.calls.wait { $0.closes == 1 }
    await server.loop.settle()
    #expect(server.totals.open == 0)
    #expect(server.totals.closed == [.normal: 1])
  }

  @Test func `an adopted connection is refused by the admission, with the server's answer`()
    async throws
  {
    var admission = WebSocketAdmission()
    admission.decide = { _ in .refuse(status: 401, body: "no token\n") }
    let (server, _) = try server(admission, echoes: DisposeBag())
    let peer = AdoptedPeer()
    peer.connection = server.adopt(peer.channel, from: nil)
    peer.connection?.receive(Array(RawClient.request.utf8))
    await peer.calls.wait { $0.ends == 1 }
    #expect(peer.calls.value.text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    #expect(peer.calls.value.text.hasSuffix("\r\n\r\nno token\n"))
    peer.connection?.receiveEnd()
    await peer.calls.wait { $0.closes == 1 }
    await server.loop.settle()
    #expect(server.totals.refused == [401: 1])
  }

  @Test func `a server with a listener also adopts`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    _ = await AdoptedPeer.upgraded(by: server)
    _ = await RawClient.upgraded(by: server)
    #expect(server.totals.accepted == 2)
  }

  @Test func `a closed server adopts no connection, and a shutdown ends the adopted ones`()
    async throws
  {
    let (server, _) = try server(echoes: DisposeBag())
    let peer = await AdoptedPeer.upgraded(by: server)
    async let dropped = server.shutDown(code: .serviceRestart)
    await peer.calls.wait { $0.written == [0x88, 0x02, 0x03, 0xF4] }
    peer.connection?.receive(Wire.frame(0x88, [0x03, 0xF4], masked: true))
    await peer.calls.wait { $0.ends == 1 }
    peer.connection?.receiveEnd()
    #expect(await dropped == 0)
    #expect(peer.calls.value.closes == 1)
    #expect(server.adopt(AdoptedPeer().channel, from: nil) == nil)
  }

  @Test func `a connection that is adopted while the server closes is closed`() async throws {
    let (server, _) = try server(echoes: DisposeBag())
    let peer = AdoptedPeer()
    // The loop accepts the connection after the server was closed.
    await server.loop.run {
      peer.connection = server.adopt(peer.channel, from: nil)
      server.close()
    }
    await peer.calls.wait { $0.closes == 1 }
    await server.loop.settle()
    #expect(server.totals.handshaking == 0)
  }

  @Test func `a broken connection fails with the error that the library reports`() async throws {
    let bag = DisposeBag()
    let (server, sockets) = try server(echoes: bag)
    let peer = await AdoptedPeer.upgraded(by: server)
    await sockets.wait { $0.count == 1 }
    let recorder = SocketEventRecorder(sockets.value[0])
    peer.connection?.receive(Wire.frame(0x81, "last", masked: true))
    peer.connection?.noteClosed(.reset)
    await recorder.waitUntilOver()
    #expect(recorder.value.events.contains(.message(.text("last"))))
    #expect(recorder.value.failure == .transport(.reset))
    await server.loop.settle()
    // The library knows of the end.
    #expect(peer.calls.value.closes == 0)
  }

  @Test func `a channel that closes before its output was written ends the WebSocket`() async throws
  {
    let bag = DisposeBag()
    let (server, sockets) = try server(echoes: bag)
    let peer = await AdoptedPeer.upgraded(by: server)
    await sockets.wait { $0.count == 1 }
    let recorder = SocketEventRecorder(sockets.value[0])
    peer.takesBytes = false
    // So much that the server reads no more before it was written.
    for _ in 0..<8 { try sockets.value[0].send(Data(count: 1 << 20)) }
    await peer.calls.wait { !$0.isRead }
    peer.connection?.noteClosed()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .transport(.reset))
    await server.loop.settle()
    #expect(server.totals.open == 0 && peer.calls.value.closes == 0)
  }

  @Test func `a channel that closes during the decision cancels it`() async throws {
    let decisions = Watched<[Bool]>([])
    var admission = WebSocketAdmission()
    admission.decide = { _ in
      decisions.update { $0.append(false) }
      try await withTaskCancellationHandler {
        await decisions.wait { $0.contains(true) }
        try Task.checkCancellation()
      } onCancel: {
        decisions.update { $0.append(true) }
      }
      return .accept()
    }
    let (server, sockets) = try server(admission, echoes: DisposeBag())
    let peer = AdoptedPeer()
    peer.connection = server.adopt(peer.channel, from: nil)
    peer.connection?.receive(Array(RawClient.request.utf8))
    await decisions.wait { $0 == [false] }
    peer.connection?.noteClosed()
    await decisions.wait { $0 == [false, true] }
    await server.loop.settle()
    #expect(server.totals.opened == 0 && server.totals.handshaking == 0 && sockets.value.isEmpty)
  }

  @Test func `releasing an adopted connection ends it`() async throws {
    let bag = DisposeBag()
    let (server, sockets) = try server(echoes: bag)
    let peer = await AdoptedPeer.upgraded(by: server)
    await sockets.wait { $0.count == 1 }
    peer.connection = nil
    try await sockets.value[0].closed()
    await server.loop.settle()
    #expect(server.totals.closed == [.abnormal: 1])
  }

  @Test func `reading stops while the messages of an adopted connection have no observer`()
    async throws
  {
    let server = try WebSocketServer.withoutListener(configuration: .init().onStoppedClock)
    let peer = await AdoptedPeer.upgraded(by: server)
    let message = [UInt8](repeating: 7, count: 100_000)
    for _ in 0..<20 { peer.connection?.receive(Wire.frame(0x82, message, masked: true)) }
    await peer.calls.wait { !$0.isRead }
    let received = Watched(0)
    let bag = DisposeBag()
    server.connections.flatMap(\.messages)
      .subscribe(onNext: { _ in received.update { $0 += 1 } }).disposed(by: bag)
    await received.wait { $0 == 20 }
    await peer.calls.wait { $0.isRead }
  }
}
