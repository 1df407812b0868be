import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A WebSocket with async functions", .workerPool)
struct WebSocketAsyncTests {
  @Test
  func `F19: a WebSocket is connected after the handshake, and closed after the peer's close`()
    async throws
  {
    let echo = try EchoServer()
    let socket = WebSocket(echo.url, configuration: .init().onStoppedClock)
    try await socket.connected()
    #expect(socket.state == .connected)
    try await socket.connected()
    socket.close(code: 4_001, reason: "done")
    let (code, reason) = try await socket.closed()
    #expect(code == 4_001 && reason == "" && socket.state == .disconnected)
    #expect(try await socket.closed().code == 4_001)
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await socket.connected()
    }
  }

  @Test func `a closed WebSocket is not connected before its observers are notified`() async throws
  {
    let echo = try EchoServer()
    for _ in 0..<50 {
      let socket = WebSocket(echo.url, configuration: .init().onStoppedClock)
      try await socket.connected()
      socket.close()
      await #expect(throws: WebSocketError.self) { try await socket.connected() }
    }
  }

  @Test func `T12: connecting to a closed port throws`() async throws {
    let owner = RawSocket.bound()
    let socket = WebSocket("ws://127.0.0.1:\(owner.port)/", configuration: .init().onStoppedClock)
    await #expect(
      throws: WebSocketError.transport(.refused(address: "127.0.0.1:\(owner.port)"))
    ) { try await socket.connected() }
    #expect(try await socket.closed().code == .abnormal)
    owner.close()
  }

  @Test func `cancelling connected() does not end the connection`() async throws {
    let raw = try RawServer()
    let socket = WebSocket(raw.url, configuration: .init().onStoppedClock)
    let connecting = Task { try await socket.connected() }
    _ = await raw.peerWithRequest()
    connecting.cancel()
    await #expect(throws: CancellationError.self) { try await connecting.joined }
    _ = try await raw.upgradedPeer()
    try await socket.connected()
    let closing = Task { try await socket.closed() }
    closing.cancel()
    await #expect(throws: CancellationError.self) { try await closing.joined }
    #expect(socket.state == .connected)
  }

  @Test func `U06: a WebSocket does not connect before it is started`() async throws {
    let listener = RawSocket.bound()
    listener.listen(backlog: 1)
    listener.makeNonBlocking()
    let socket = WebSocket("ws://127.0.0.1:\(listener.port)/")
    await EventLoop.shared.settle()
    #expect(socket.state == .idle)
    socket.close()
    #expect(try await socket.closed().code == .abnormal)
    listener.close()
  }

  // MARK: Pings

  @Test func `T04: a ping returns the round-trip time of its pong`() async throws {
    let pair = try await MemoryPeer()
    #expect(pair.socket.metrics.roundTripTime == nil)
    let ping = Task { try await pair.socket.ping() }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    let frame = try #require(pair.peer.frames.first)
    #expect(frame.first == 0x89)
    // A pong with another payload is not an answer.
    pair.peer.send(Wire.frame(0x8A, [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1], masked: false))
    pair.peer.send(Wire.frame(0x8A, "?", masked: false))
    await pair.advance(by: .milliseconds(30))
    pair.peer.send(Wire.frame(0x8A, frame.payload, masked: false))
    #expect(try await ping.joined == .milliseconds(30))
    #expect(pair.socket.metrics.roundTripTime == .milliseconds(30))
    pair.close()
  }

  @Test func `a pong answers the earlier pings too`() async throws {
    let pair = try await MemoryPeer()
    let first = Task { try await pair.socket.ping() }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    await pair.advance(by: .seconds(1))
    let second = Task { try await pair.socket.ping() }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    await pair.advance(by: .seconds(1))
    let frame = try #require(pair.peer.frames.last)
    pair.peer.send(Wire.frame(0x8A, frame.payload, masked: false))
    #expect(try await first.joined == .seconds(2))
    #expect(try await second.joined == .seconds(1))
    pair.close()
  }

  @Test func `pings of many threads are sent in the order of their numbers`() async throws {
    let pair = try await MemoryPeer()
    let pings = (0..<200).map { _ in Task { try await pair.socket.ping() } }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 200 }
    let payloads = pair.peer.frames.map(\.payload)
    #expect(zip(payloads, payloads.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    let last = try #require(payloads.last)
    pair.peer.send(Wire.frame(0x8A, last, masked: false))
    for ping in pings { #expect(try await ping.joined == .zero) }
    pair.close()
  }

  @Test func `T04: a ping of a lost connection throws once, and a cancelled ping at once`()
    async throws
  {
    let pair = try await MemoryPeer()
    let cut = Task { try await pair.socket.ping() }
    let cancelled = Task { try await pair.socket.ping() }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.joined }
    pair.peer.transport.close()
    await #expect(throws: WebSocketError.self) { try await cut.joined }
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await pair.socket.closed()
      try await pair.socket.ping()
    }
  }

  @Test func `metrics count the transferred bytes and messages`() async throws {
    let pair = try await MemoryPeer()
    let before = pair.socket.metrics
    #expect(before.messagesSent == 0 && before.framesReceived == 0)
    #expect(before.bytesSent > 100 && before.bytesReceived > 100)
    let recorder = SocketEventRecorder(pair.socket)
    try pair.socket.send("hello")
    try pair.socket.ping(Data())
    pair.peer.send(Wire.frame(0x01, "a", masked: false) + Wire.frame(0x80, "b", masked: false))
    await recorder.log.wait { $0.texts == ["ab"] }
    await pair.peer.log.wait { $0.received.count == 11 + 6 }
    let after = pair.socket.metrics
    #expect(after.messagesSent == 1 && after.framesSent == 2)
    #expect(after.messagesReceived == 1 && after.framesReceived == 2)
    #expect(after.bytesSent - before.bytesSent == 17)
    #expect(after.bytesReceived - before.bytesReceived == 6)
    #expect(after.queuedBytes == 0)
    pair.close()
    await recorder.waitUntilOver()
  }

  @Test func `the log of a connection has four lines and no secret`() async throws {
    let lines = Watched<[String]>([])
    var configuration = WebSocketConfiguration(headers: ["Authorization": "Bearer hunter2"])
    configuration.log = WebSocketLog(.debug) { level, line in
      lines.update { $0.append("\(level) \(line)") }
    }
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url + "chat?token=hunter2", configuration)
    socket.connect()
    await recorder.waitUntilConnected()
    socket.close()
    await recorder.waitUntilOver()
    let name = echo.url + "chat?..."
    #expect(
      lines.value == [
        "debug \(name): connecting", "info \(name): connected", "debug \(name): disconnecting",
        "info \(name): closed, 1000",
      ]
    )
    lines.update { $0 = [] }
    let (lost, lostRecorder) = WebSocket.recorded(to: "ws://me:hunter2@localhost/", configuration)
    lost.connect()
    await lostRecorder.waitUntilOver()
    #expect(lines.value.count == 3)
    #expect(lines.value[1].hasPrefix("error ws://...@localhost/: "))
    #expect(!lines.value.joined().contains("hunter2"))
  }
}
