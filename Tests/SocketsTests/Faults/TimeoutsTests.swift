import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Timeouts that no other suite covers, in virtual time.
@Suite("The timeouts of a WebSocket", .workerPool)
struct TimeoutsTests {
  private let time = VirtualTime()

  private var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    return configuration
  }

  @Test func `a proxy that does not answer CONNECT is dropped after 10 seconds`() async throws {
    let proxy = try RawServer()
    var configuration = configuration
    configuration.proxy = .http(proxy.url.replacing("ws:", with: "http:"))
    let (socket, recorder) = WebSocket.recorded(to: "wss://server.test/", configuration)
    socket.connect()
    let peer = await proxy.peerWithRequest()
    peer.send(Array("HTTP/1.1 200 Connection established\r\n".utf8))
    await EventLoop.shared.settle()
    time.advance(by: .milliseconds(9_999))
    await EventLoop.shared.settle()
    #expect(recorder.value.closeCode == nil)
    time.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a TLS server that closes without ending TLS is dropped after 5 seconds`()
    async throws
  {
    try await withLoop { loop in
      var served = TLSConfiguration()
      served.identity = Certificates.good
      let (near, far) = MemoryTransport.pair(loop: loop)
      let session = try OpenSSL().makeSession(.client(host: "localhost"), .trusting)
      let socket = WebSocket.client(
        over: TLSTransport(over: near, session), configuration: configuration)
      let recorder = SocketEventRecorder(socket)
      let peer = TransportRecorder(
        TLSTransport(over: far, try OpenSSL().makeSession(.server, served)))
      peer.transport.start(peer)
      socket.connect()
      await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
      try peer.answerHandshake()
      await recorder.waitUntilConnected()
      socket.close()
      #expect(await peer.closeCode() == .normal)
      peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
      await loop.settle(turns: 20)
      time.advance(by: .milliseconds(4_999))
      await loop.settle()
      #expect(recorder.value.closeCode == nil)
      time.advance(by: .milliseconds(1))
      await recorder.waitUntilOver()
      #expect(recorder.value.failure == nil && recorder.value.closeCode == .normal)
    }
  }

  @Test func `a client that reads nothing of a plain answer is dropped after 30 seconds`()
    async throws
  {
    try await withLoop { loop in
      let sockets = ConnectionRegistry(configuration, .init()) { _ in
        HTTPResponse(body: Data(count: 1 << 20))
      }
      let (near, far) = MemoryTransport.pair(loop: loop, capacity: 4_096)
      // On the loop: the whole answer may arrive before the test's thread runs again.
      let peer = TransportRecorder(far) { peer, _ in peer.transport.setReading(false) }
      await peer.start()
      sockets.accept(near)
      peer.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      await peer.log.wait { !$0.received.isEmpty }
      await loop.settle(turns: 20)
      // The watch checks four times in 30 seconds; its first check sees earlier progress.
      for _ in 0..<3 {
        time.advance(by: .milliseconds(7_500))
        await loop.settle(turns: 20)
        #expect(sockets.all.count == 1)
      }
      for _ in 0..<2 {
        time.advance(by: .milliseconds(7_500))
        await loop.settle(turns: 20)
      }
      #expect(sockets.all.isEmpty)
      await sockets.ended()
    }
  }

  @Test func `a slow client of broadcasts that reads no close frame is dropped after 5 seconds`()
    async throws
  {
    try await withLoop { loop in
      let sockets = ConnectionRegistry(configuration, .init())
      let (near, far) = MemoryTransport.pair(loop: loop, capacity: 16_384)
      let peer = TransportRecorder(far)
      await peer.start()
      sockets.accept(near)
      peer.send(Array(RawClient.request.utf8))
      await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
      peer.transport.setReading(false)
      let message = WebSocketMessage.binary(Data(count: 200_000))
      for _ in 0..<2 {
        _ = sockets.broadcast(
          message, limit: 100_000, slowClients: .closed, to: { _ in true })
      }
      await loop.settle()
      time.advance(by: .milliseconds(4_999))
      await loop.settle()
      #expect(sockets.all.count == 1)
      time.advance(by: .milliseconds(1))
      await loop.settle()
      #expect(sockets.all.isEmpty)
      await sockets.ended()
    }
  }

  @Test func `all tasks that wait for a silent peer end after 40 seconds`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 1_000
    configuration.writeTimeout = nil
    let pair = try await MemoryPeer(configuration, capacity: 1_000)
    let socket = pair.socket
    let answers = Watched<Set<String>>([])
    @Sendable func wait(_ name: String, for body: @escaping @Sendable () async throws -> Void) {
      Task {
        try? await body()
        answers.update { _ = $0.insert(name) }
      }
    }
    let values = socket.values
    wait("ping") { _ = try await socket.ping() }
    await pair.peer.log.wait { !$0.received.isEmpty }
    wait("receive") { _ = try await socket.receive() }
    wait("values") { for try await _ in values {} }
    wait("closed") { _ = try await socket.closed() }
    await EventLoop.shared.settle(turns: 20)
    await pair.advance(by: .seconds(20))
    await pair.advance(by: .milliseconds(19_999))
    #expect(answers.value.isEmpty && socket.state == .connected)
    await pair.advance(by: .milliseconds(1))
    await answers.wait { $0 == ["ping", "receive", "values", "closed"] }
  }

  @Test func `a task that waits for room ends after 30 seconds without any`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 1_000
    let pair = try await MemoryPeer(configuration, capacity: 1_000)
    let socket = pair.socket
    pair.peer.transport.setReading(false)
    try socket.send(Data(count: 10_000))
    await EventLoop.shared.settle()
    let sending = Task { try await socket.sendWhenWritable("later") }
    await EventLoop.shared.settle(turns: 20)
    for _ in 0..<4 { await pair.advance(by: .milliseconds(7_500)) }
    await #expect(throws: WebSocketError.self) { try await sending.joined }
    #expect(socket.state != .connected)
    pair.peer.transport.setReading(true)
    _ = try? await socket.closed()
  }

  @Test func `a resume hook that hangs ends with its attempt after 30 seconds`() {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in try await EffectContext.sleep(.seconds(1_000)) }
    let run = ReconnectingHarness(time, configuration: configuration, strategy: .fixed(.seconds(1)))
    run.start()
    time.advance(by: .seconds(30))
    #expect(run.events.contains(.error(.handshakeTimedOut(after: .seconds(30)))))
    time.advance(by: .seconds(1))
    #expect(run.attempts == [0, 31])
    run.socket.close()
    time.settle()
  }
}
