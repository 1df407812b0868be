import Foundation
import IntegrationTestSupport
import NIOCore
import NIOEmbedded
import NIOIntegration
import Sockets
import Testing

@Suite(.timeLimit(.minutes(2))) struct NIOServerTests {
  /// A channel in which nothing happens by itself, whose request for a WebSocket was accepted.
  private func upgraded(
    _ handlers: any ChannelHandler & Sendable...
  ) async throws -> (NIOAsyncTestingChannel, Echo) {
    let sockets = try WebSocketServer.withoutListener(configuration: .quiet)
    let echo = Echo(sockets)
    let channel = try await NIOAsyncTestingChannel { channel in
      try channel.pipeline.syncOperations.addHandlers(handlers)
      try channel.pipeline.syncOperations.configureWebSocketPipeline(servedBy: sockets)
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    try await channel.writeInbound(ByteBuffer(string: RawClient.request))
    try await echo.sockets.wait { $0.count == 1 }
    return (channel, echo)
  }

  @Test func `HTTP and WebSockets share a port of NIO`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    try socket.send("hi")
    #expect(try await socket.receive() == .text("hi"))
    #expect(echo.sockets.value[0].request?.path == "/chat")
    #expect(echo.sockets.value[0].peerAddress?.host == "127.0.0.1")

    let http = try await RawClient(port: nio.port)
    // Two requests on one connection, the first one in two pieces.
    try await http.send("GET /a HTTP/1.1\r\nHost:")
    try await http.send(" localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await http.received.wait { String(decoding: $0, as: UTF8.self).contains("HTTP /b") }
    #expect(http.text.hasPrefix("HTTP/1.1 200 OK\r\n") && http.text.contains("HTTP /a"))

    socket.close(reason: "bye")
    #expect(try await socket.closed().code == .normal)
    await nio.sockets.shutDown()
    #expect(nio.sockets.totals.closed == [.normal: 1])
    try await nio.close()
  }

  @Test func `frames in one segment with the request are received`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let client = try await RawClient(port: nio.port)
    // A masked text frame "Hello" (RFC 6455, section 5.7).
    let frame: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    try await client.send(Array(RawClient.request.utf8) + frame)
    try await client.received.wait { $0.suffix(7) == [0x81, 0x05] + Array("Hello".utf8) }
    #expect(client.text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
    withExtendedLifetime(echo) {}
    try await nio.close()
  }

  @Test func `a client that ends its direction still receives the answer to its close frame`()
    async throws
  {
    let nio = try await NIOServer()
    let client = try await RawClient(port: nio.port)
    // A masked close frame with 1000. The server reads it when the last MiB waits for the client.
    let frame: [UInt8] = [0x88, 0x82, 0x37, 0xfa, 0x21, 0x3d, 0x34, 0x12]
    try await client.sendLast(Array(RawClient.request.utf8) + frame)
    try await client.isClosed.wait { $0 }
    #expect(client.received.value.suffix(4) == [0x88, 0x02, 0x03, 0xe8])
    try await nio.close()
  }

  @Test func `the WebSocket server's admission refuses with its own answer`() async throws {
    var admission = WebSocketAdmission()
    admission.decide = { _ in
      .refuse(status: 401, headers: ["WWW-Authenticate": "Bearer"], body: "no token\n")
    }
    let nio = try await NIOServer(admission)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    let error = await #expect(throws: WebSocketError.self) { try await socket.connected() }
    guard case .handshake(.rejected(401, _, let headers, let body)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(headers["WWW-Authenticate"] == "Bearer")
    #expect(String(decoding: body, as: UTF8.self) == "no token\n")
    try await nio.close()
  }

  @Test func `ten megabytes pass both ways unchanged`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    let message = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    for _ in 0..<10 { try await socket.sendWhenWritable(message) }
    for _ in 0..<10 { #expect(try await socket.receive() == .binary(message)) }
    withExtendedLifetime(echo) {}
    try await nio.close()
  }

  @Test func `a server that takes no messages slows its client, through NIO`() async throws {
    let nio = try await NIOServer()
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    let accepted = Watched<WebSocket?>(nil)
    let bag = DisposeBag()
    nio.sockets.connections.subscribe(onNext: { socket in accepted.update { $0 = socket } })
      .disposed(by: bag)
    try await accepted.wait { $0 != nil }
    let server = try #require(accepted.value)
    let count = 128
    for _ in 0..<count { try socket.send(Data(repeating: 1, count: 1 << 20)) }
    for taken in 1...count {
      #expect(try await server.receive().data.count == 1 << 20)
      // One message waits, and one is being received.
      #expect(server.metrics.bytesReceived < (taken + 4) << 20)
      // The system holds the client's 4 MiB, and a little for the server.
      #expect(socket.metrics.bytesSent < (taken + 24) << 20)
    }
    try await nio.close()
  }

  @Test func `a client that takes no bytes makes the server's socket unwritable`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await echo.sockets.wait { $0.count == 1 }
    let server = echo.sockets.value[0]
    let message = Data(repeating: 1, count: 1 << 20)
    for _ in 0..<64 { try server.send(message) }
    #expect(!server.isWritable)
    for _ in 0..<64 { _ = try await socket.receive() }
    try await nio.close()
  }

  @Test func `a slow client that has closed and ended still receives the close`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let client = try await RawClient(port: nio.port)
    try await client.send(RawClient.request)
    try await echo.sockets.wait { $0.count == 1 }
    try await client.received.wait { !$0.isEmpty }
    try await client.setReading(false)
    for _ in 0..<12 { try echo.sockets.value[0].send(Data(repeating: 1, count: 1 << 20)) }
    // A masked close frame with 1000.
    try await client.sendLast([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
    try await client.setReading(true)
    try await client.isClosed.wait { $0 }
    #expect(client.received.value.suffix(4) == [0x88, 0x02, 0x03, 0xE8])
    try await nio.close()
  }

  @Test func `a reset is the error of the connection`() async throws {
    let nio = try await NIOServer()
    let echo = Echo(nio.sockets)
    let client = try await RawClient(port: nio.port)
    try await client.send(RawClient.request)
    try await echo.sockets.wait { $0.count == 1 }
    try await client.reset()
    await #expect(throws: WebSocketError.transport(.reset)) {
      _ = try await echo.sockets.value[0].receive()
    }
    try await nio.close()
  }

  @Test func `a write that fails and closes the channel at once reports its error`() async throws {
    let (channel, echo) = try await upgraded(FailingWrites())
    // The answer to the request is written.
    await channel.testingEventLoop.run()
    await #expect(throws: WebSocketError.transport(.reset)) {
      _ = try await echo.sockets.value[0].receive()
    }
  }

  @Test(arguments: [true, false])
  func `a channel that closes in the turn of its end was reset`(isInOneTurn: Bool) async throws {
    let (channel, echo) = try await upgraded()
    try await channel.testingEventLoop.executeInContext {
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      if isInOneTurn { channel.pipeline.fireChannelInactive() }
    }
    await channel.testingEventLoop.run()
    let error = isInOneTurn ? WebSocketError.transport(.reset) : .connectionLost
    await #expect(throws: error) { _ = try await echo.sockets.value[0].receive() }
  }

  @Test func `an error of another handler is not one of TLS`() async throws {
    struct Failure: Error {}
    let (channel, echo) = try await upgraded()
    try await channel.testingEventLoop.executeInContext {
      channel.pipeline.fireErrorCaught(Failure())
    }
    await channel.testingEventLoop.run()
    await #expect(throws: WebSocketError.transport(.channel(reason: "Failure()"))) {
      _ = try await echo.sockets.value[0].receive()
    }
  }

  @Test func `a channel is not read while its HTTP server is configured, and loses nothing`()
    async throws
  {
    let sockets = try WebSocketServer.withoutListener(configuration: .quiet)
    let reads = Watched(0)
    let channel = NIOAsyncTestingChannel()
    let configured = channel.testingEventLoop.makePromise(of: Void.self)
    try await channel.testingEventLoop.executeInContext {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(ReadCounter(reads))
      try pipeline.configureWebSocketNegotiation(with: sockets) { _ in configured.futureResult }
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    let request = ByteBuffer(string: "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbo")
    try await channel.writeInbound(request)
    try await channel.testingEventLoop.executeInContext { channel.read() }
    #expect(reads.value == 0)
    configured.succeed()
    await channel.testingEventLoop.run()
    #expect(reads.value == 1)
    #expect(try await channel.readInbound(as: ByteBuffer.self) == request)
    try await channel.testingEventLoop.executeInContext { channel.read() }
    #expect(reads.value == 2)
  }

  @Test(arguments: [true, false])
  func `a channel whose autoRead is off is read for its WebSocket`(negotiates: Bool) async throws {
    let nio = try await NIOServer(negotiates: negotiates, autoRead: false)
    let echo = Echo(nio.sockets)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    for number in 0..<3 {
      try socket.send("\(number)")
      #expect(try await socket.receive() == .text("\(number)"))
    }
    withExtendedLifetime(echo) {}
    try await nio.close()
  }

  @Test func `every connection of a port can be a WebSocket's, without negotiation`() async throws {
    let nio = try await NIOServer(negotiates: false)
    let echo = Echo(nio.sockets)
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    try socket.send("hi")
    #expect(try await socket.receive() == .text("hi"))
    let http = try await RawClient(port: nio.port)
    try await http.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await http.received.wait { !$0.isEmpty }
    #expect(http.text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
    withExtendedLifetime(echo) {}
    try await nio.close()
  }

  @Test func `a connection without a whole request is closed at the deadline`() async throws {
    let nio = try await NIOServer(timeout: .milliseconds(50))
    let client = try await RawClient(port: nio.port)
    // The deadline may have passed already.
    try? await client.send("GET /chat HTTP/1.1\r\n")
    try await client.isClosed.wait { $0 }
    #expect(client.received.value.isEmpty)
    try await nio.close()
  }

  @Test func `closing the server closes its channels with 1001, and new ones at once`() async throws
  {
    let nio = try await NIOServer()
    let socket = WebSocket.connect(to: nio.url, configuration: .quiet)
    try await socket.connected()
    #expect(await nio.sockets.shutDown() == 0)
    #expect(try await socket.closed().code == .goingAway)
    let late = try await RawClient(port: nio.port)
    try await late.send(RawClient.request)
    try await late.isClosed.wait { $0 }
    #expect(late.received.value.isEmpty)
    try await nio.close()
  }
}

/// Fails each write as a reset socket does: the channel closes in the call.
private final class FailingWrites: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = ByteBuffer

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promise?.fail(IOError(errnoCode: ECONNRESET, reason: "write"))
    context.fireChannelInactive()
  }
}

private final class ReadCounter: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private let reads: Watched<Int>

  init(_ reads: Watched<Int>) { self.reads = reads }

  func read(context: ChannelHandlerContext) {
    reads.update { $0 += 1 }
    context.read()
  }
}
