import Hummingbird
import HummingbirdCore
import IntegrationTestSupport
import LifecycleIntegration
import Logging
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import Sockets
import Testing

@testable import HummingbirdIntegration

@Suite(.timeLimit(.minutes(2))) struct HummingbirdTests {
  /// Runs an application with a WebSocket server on its port, and shuts both down.
  private func withApplication(
    _ admission: WebSocketAdmission = .init(),
    _ body: (_ port: Int, WebSocketServer) async throws -> Void
  ) async throws {
    let sockets = try WebSocketServer.withoutListener(configuration: .quiet, admission: admission)
    let router = Router()
    router.get("health") { _, _ in "fine" }
    router.get("chat") { _, _ in "the router's" }
    let port = Watched<Int?>(nil)
    let app = Application(
      router: router, server: .http1(webSockets: sockets, timeout: .hours(1)),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in port.update { $0 = channel.localAddress?.port } },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let group = ServiceGroup(
      services: [app, WebSocketServerService(sockets)], logger: Logger(label: "test"))
    async let run: Void = group.run()
    try await port.wait { $0 != nil }
    try await body(port.value ?? 0, sockets)
    await group.triggerGracefulShutdown()
    try await run
  }

  @Test(arguments: [true, false])
  func `a cancelled task closes the channel of a WebSocket, and an undecided one`(isDecided: Bool)
    async throws
  {
    let sockets = try WebSocketServer.withoutListener(configuration: .quiet)
    let child = WebSocketChannel(
      server: sockets, timeout: .hours(1), http: HTTP1Channel { _, _, _ in })
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    let value = try await channel.testingEventLoop.executeInContext {
      child.setup(channel: channel, logger: logger)
    }.get()
    if isDecided { try await channel.writeInbound(ByteBuffer(string: RawClient.request)) }
    let handling = Task { await child.handle(value: value, logger: logger) }
    handling.cancel()
    let running = Task {
      while !Task.isCancelled {
        await channel.testingEventLoop.run()
        await Task.yield()
      }
    }
    await handling.value
    running.cancel()
    #expect(!channel.isActive)
  }

  private func get(_ path: String, port: Int) async throws -> String {
    let client = try await RawClient(port: port)
    try await client.send(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    try await client.isClosed.wait { $0 }
    return client.text
  }

  @Test func `routes and WebSockets share the port of an application`() async throws {
    try await withApplication { port, sockets in
      let echo = Echo(sockets)
      let socket = WebSocket.connect(to: "ws://127.0.0.1:\(port)/chat", configuration: .quiet)
      try await socket.connected()
      try socket.send("hi")
      #expect(try await socket.receive() == .text("hi"))
      #expect(try await get("/health", port: port).hasSuffix("\r\n\r\nfine"))
      // The same path without an upgrade is the router's.
      #expect(try await get("/chat", port: port).hasSuffix("\r\n\r\nthe router's"))
      #expect(try await get("/other", port: port).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      #expect(sockets.totals.accepted == 1)
      withExtendedLifetime(echo) {}
    }
  }

  @Test func `the WebSocket server refuses, not the router`() async throws {
    var admission = WebSocketAdmission()
    admission.origins = .only(["https://example.com"], allowsNone: false)
    try await withApplication(admission) { port, _ in
      let socket = WebSocket.connect(to: "ws://127.0.0.1:\(port)/chat", configuration: .quiet)
      let error = await #expect(throws: WebSocketError.self) { try await socket.connected() }
      guard case .handshake(.rejected(status: 403, _, _, _)) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a graceful shutdown closes WebSockets with 1001, idle requests, and the port`()
    async throws
  {
    let closed = Watched<CloseCode?>(nil)
    let idle = Watched<RawClient?>(nil)
    try await withApplication { port, _ in
      let socket = WebSocket.connect(to: "ws://127.0.0.1:\(port)/chat", configuration: .quiet)
      try await socket.connected()
      Task {
        let code = try await socket.closed().code
        closed.update { $0 = code }
      }
      // A connection without a request does not delay the shutdown until its deadline.
      let client = try await RawClient(port: port)
      try await client.send("GET /")
      idle.update { $0 = client }
    }
    try await closed.wait { $0 != nil }
    #expect(closed.value == .goingAway)
    try await idle.value?.isClosed.wait { $0 }
  }
}
