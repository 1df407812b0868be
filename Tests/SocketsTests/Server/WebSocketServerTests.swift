import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A WebSocket server", .workerPool)
struct WebSocketServerTests {
  @Test func `a server reports its port and URL`() throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    #expect(server.port > 0)
    #expect(server.url == "ws://127.0.0.1:\(server.port)/")
    let open = try WebSocketServer(host: "")
    #expect(open.url == "ws://127.0.0.1:\(open.port)/")
    #expect(throws: TransportError.addressInUse(address: "127.0.0.1:\(server.port)")) {
      _ = try WebSocketServer(port: server.port)
    }
  }

  @Test func `a server answers a raw request, and echoes frames of the same segment`() async throws
  {
    let echo = try EchoServer()
    let peer = await RawClient.upgraded(by: echo.server, then: Wire.frame(0x81, "hi", masked: true))
    await peer.waitToReceive(Wire.frame(0x81, "hi", masked: false))
    await echo.sockets.wait { $0.count == 1 }
    let request = try #require(echo.sockets.value[0].request)
    #expect(request.path == "/chat" && request.query == "room=1")
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: true))
    // The server answers, then ends the connection.
    await peer.log.wait { $0.ended == 1 }
    #expect(await peer.closeCode() == .normal)
    peer.transport.close()
  }

  @Test func `9110 15.5.22: a request that is not a WebSocket request is refused with 426`()
    async throws
  {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let peer = await RawClient.connected(to: server)
    peer.send(Array("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    await peer.log.wait { $0.ended == 1 }
    #expect(peer.text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n"))
    #expect(peer.text.contains("\r\nConnection: upgrade, close\r\n"))
    #expect(peer.text.hasSuffix("\r\n\r\nthis is a server of WebSockets\n"))
    peer.transport.closeWriting()
    await peer.log.wait { $0.isClosed }
  }

  @Test func `another version is refused with 426, also after the client's half close`()
    async throws
  {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let peer = await RawClient.connected(to: server)
    peer.send(Array(RawClient.request.replacing("Version: 13", with: "Version: 8").utf8))
    peer.transport.closeWriting()
    await peer.log.wait { $0.isClosed }
    #expect(peer.text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
    #expect(peer.text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
  }

  @Test func `a client receives the rejection of a server`() async throws {
    // A header of the handshake itself: the server cannot accept the request.
    let server = try WebSocketServer(configuration: .init(headers: ["Upgrade": "h2c"]))
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilOver()
    guard case .handshake(.rejected(500, _, _, let body)) = recorder.value.failure else {
      Issue.record("\(String(describing: recorder.value.failure))")
      return
    }
    #expect(String(decoding: body, as: UTF8.self) == "header \"Upgrade\" cannot be sent\n")
  }

  @Test func `an unmasked frame ends the connection with 1002 after the echoes`() async throws {
    let echo = try EchoServer()
    let peer = await RawClient.upgraded(
      by: echo.server,
      then: Wire.frame(0x81, "a", masked: true) + Wire.frame(0x81, "b", masked: true)
        + Wire.frame(0x81, "c", masked: false)
    )
    #expect(await peer.closeCode() == .protocolError)
    #expect(peer.frames.map(\.payload).dropLast() == [[0x61], [0x62]])
    await echo.sockets.wait { $0.count == 1 }
    let recorder = SocketEventRecorder(echo.sockets.value[0])
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .protocolViolation(.unmaskedClientFrame))
  }

  @Test func `a server refuses a message above the limit by its header`() async throws {
    var configuration = WebSocketConfiguration()
    configuration.messageLimit = 1 << 20
    let echo = try EchoServer(configuration)
    let peer = await RawClient.upgraded(by: echo.server)
    peer.send([0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 1, 2, 3, 4])
    #expect(await peer.closeCode() == .messageTooBig)
    peer.transport.close()
  }

  @Test func `a client that sends and never reads does not grow the memory`() async throws {
    let echo = try EchoServer()
    let peer = await RawClient.upgraded(by: echo.server)
    peer.transport.setReading(false)
    let count = 600
    let payload = [UInt8](repeating: 0x61, count: 60_000)
    // Pings among them, whose pongs count as well.
    let frames = Wire.frame(0x82, payload, masked: true) + Wire.frame(0x89, [1], masked: true)
    for _ in 0..<count { peer.send(frames) }
    let sent = await EventLoop.shared.stableCount { peer.sent }
    #expect(sent < count * payload.count)
    peer.transport.setReading(true)
    await peer.log.wait { $0.received.count == count * (payload.count + 4 + 3) }
    peer.transport.close()
  }

  @Test func `connections before the first observer are kept for it`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    try socket.send("early")
    let received = Watched<[String]>([])
    let bag = DisposeBag()
    server.connections
      .subscribe(onNext: { served in
        served.messages.subscribe(onNext: { message in
          received.update { $0.append(message.text ?? "") }
        })
        .disposed(by: bag)
      })
      .disposed(by: bag)
    await received.wait { $0 == ["early"] }
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test(arguments: [false, true])
  func `a closed or released server closes its connections with 1001`(isReleased: Bool) async throws
  {
    var server: WebSocketServer? = try WebSocketServer(configuration: .init().onStoppedClock)
    let url = try #require(server).url
    let ended = Watched(false)
    let subscription = server?.connections
      .subscribe(onNext: { _ in }, onCompleted: { ended.update { $0 = true } })
    let (socket, recorder) = WebSocket.recorded(to: url)
    socket.connect()
    await recorder.waitUntilConnected()
    // Includes a connection in its handshake.
    let half = await RawClient.connected(to: try #require(server))
    half.send([0x47])
    await EventLoop.shared.settle()
    if !isReleased { server?.close() }
    server = nil
    await recorder.waitUntilOver()
    await half.log.wait { $0.ended == 1 || $0.isClosed }
    await ended.wait { $0 }
    #expect(recorder.value.closeCode == .goingAway)
    #expect(recorder.value.failure == nil)
    subscription?.dispose()
    let (next, nextRecorder) = WebSocket.recorded(to: url)
    next.connect()
    await nextRecorder.waitUntilOver()
    guard case .transport(.refused) = nextRecorder.value.failure else {
      Issue.record("\(String(describing: nextRecorder.value.failure))")
      return
    }
  }

  @Test func `an unreferenced connection stays open`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { try? $0.send("welcome") }).disposed(by: bag)
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.log.wait { $0.texts == ["welcome"] }
    try socket.ping(Data())
    await recorder.log.wait { $0.frames.last == .pong() }
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.closeCode == .normal)
  }

  // MARK: Admission

  @Test func `a rejection or acceptance by the admission reaches the client`() async throws {
    var admission = WebSocketAdmission()
    admission.decide = { request in
      request.path == "/chat"
        ? .accept(headers: ["X-Room": request.query ?? ""])
        : .refuse(status: 404, body: "there is only /chat\n")
    }
    let server = try WebSocketServer(
      configuration: .init().onStoppedClock,
      admission: admission
    )
    let (lost, lostRecorder) = WebSocket.recorded(to: server.url + "elsewhere")
    lost.connect()
    await lostRecorder.waitUntilOver()
    guard case .handshake(.rejected(404, "Not Found", _, let body)) = lostRecorder.value.failure
    else {
      Issue.record("\(String(describing: lostRecorder.value.failure))")
      return
    }
    #expect(String(decoding: body, as: UTF8.self) == "there is only /chat\n")
    let (socket, recorder) = WebSocket.recorded(to: server.url + "chat?room=1")
    socket.connect()
    await recorder.waitUntilConnected()
    #expect(server.broadcast(.text("hello")).sent == 1)
    await recorder.log.wait { $0.texts == ["hello"] }
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `a plain request references its server, and its handler does not retain it`()
    async throws
  {
    weak var released: WebSocketServer?
    do {
      let server = try WebSocketServer(configuration: .init().onStoppedClock) { request in
        .text("\(request.server?.totals.answered ?? [:])")
      }
      released = server
      let peer = await RawClient.connected(to: server)
      let get = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      for expected in ["[:]", "[200: 1]"] {
        peer.log.update { $0.received = [] }
        peer.send(get)
        await peer.log.wait { $0.received.ends(with: Array("\r\n\r\n\(expected)".utf8)) }
      }
      peer.transport.close()
    }
    for _ in 0..<1_000 where released != nil { await Task.yield() }
    #expect(released == nil)
  }

  @Test func `a broken connection is a notice in the log of its server`() async throws {
    let lines = Watched<[String]>([])
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.log = WebSocketLog(.info) { level, line in
      lines.update {
        $0.append("\(level)\(line.dropFirst("connection 1 from ".count).drop { $0 != " " })")
      }
    }
    let server = try WebSocketServer(configuration: configuration)
    let client = RawSocket.connected(to: server.port)
    client.send(Array(RawClient.request.utf8))
    await lines.wait { $0.count == 1 }
    client.reset()
    await lines.wait { $0.count == 3 }
    #expect(lines.value[0] == "info connected: /chat")
    #expect(lines.value[1] == "notice the peer reset the connection")
    #expect(lines.value[2].hasPrefix("info closed, 1006"))
  }

  @Test func `a dropped client is not read any more, and receives no close frame`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock)
    let events = Watched<[WebSocketEvent]>([])
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in
      socket.events.subscribe(onNext: { [weak socket] event in
        events.update { $0.append(event) }
        if case .message(.text("bye")) = event { socket?.drop() }
      }).disposed(by: bag)
    }).disposed(by: bag)
    let peer = await RawClient.upgraded(by: server)
    // In one read.
    peer.send(["hi", "bye", "more"].flatMap { Wire.frame(0x81, $0, masked: true) })
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
    #expect(peer.log.value.received.isEmpty)
    await events.wait { $0.count == 4 }
    #expect(
      events.value == [
        .connected, .message(.text("hi")), .message(.text("bye")),
        .disconnected(code: .abnormal, reason: ""),
      ])
    peer.transport.close()
  }

  @Test(arguments: [false, true])
  func `a socket that is dropped while it connects or closes is released`(
    isClosing: Bool
  ) async throws {
    let server = try patient(VirtualTime())
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    if isClosing {
      socket.connect()
      await recorder.waitUntilConnected()
      // The server answers, and waits for the end of the bytes.
      socket.close()
    } else {
      socket.connect()
    }
    socket.drop()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
    #expect(throws: WebSocketError.self) { try socket.send("late") }
    socket.drop()
    #expect(socket.state == .disconnected)
  }

  @Test(arguments: [1, 2] as [EventLoopCount])
  func `a port is free as soon as its server is closed`(loops: EventLoopCount)
    async throws
  {
    var server = try WebSocketServer(loops: loops)
    for number in 0..<50 {
      let peer = await RawClient.upgraded(by: server)
      if number.isMultiple(of: 2) { server.close() } else { await server.shutDown(within: .zero) }
      server = try WebSocketServer(port: server.port, loops: loops)
      peer.transport.close()
    }
  }

  // MARK: Shutting down

  /// A server without an effective close timeout.
  private func patient(_ time: VirtualTime) throws -> WebSocketServer {
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    configuration.closeTimeout = .seconds(86_400)
    return try WebSocketServer(configuration: configuration)
  }

  @Test func `a shutdown waits for answers, and accepts no new client`() async throws {
    let server = try patient(VirtualTime())
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    #expect(await server.shutDown() == 0)
    await recorder.waitUntilOver()
    #expect(recorder.value.closeCode == .goingAway)
    let (late, lateRecorder) = WebSocket.recorded(to: server.url)
    late.connect()
    await lateRecorder.waitUntilOver()
    guard case .transport(.refused) = lateRecorder.value.failure else {
      Issue.record("\(String(describing: lateRecorder.value.failure))")
      return
    }
    #expect(await server.shutDown() == 0)
  }

  @Test func `a shutdown drops clients that do not answer in time`() async throws {
    let time = VirtualTime()
    let server = try patient(time)
    let silent = await RawClient.upgraded(by: server)
    let dropped = Watched<Int?>(nil)
    Task {
      let count = await server.shutDown(within: .seconds(3))
      dropped.update { $0 = count }
    }
    #expect(await silent.closeCode() == .goingAway)
    // The wait can begin a moment later.
    for _ in 0..<1_000 where dropped.value == nil {
      time.advance(by: .seconds(1))
      await EventLoop.shared.settle()
    }
    await dropped.wait { $0 == 1 }
    await silent.log.wait { $0.ended == 1 || $0.isClosed }
    silent.transport.close()
  }

  @Test func `a cancelled shutdown drops all clients at once`() async throws {
    let server = try patient(VirtualTime())
    let silent = await RawClient.upgraded(by: server)
    let shutdown = Task { await server.shutDown() }
    #expect(await silent.closeCode() == .goingAway)
    shutdown.cancel()
    #expect(await shutdown.value == 1)
    await silent.log.wait { $0.ended == 1 || $0.isClosed }
    silent.transport.close()
  }

  @Test func `draining closes connections one after the other, the newest first`() async throws {
    let time = VirtualTime()
    let server = try patient(time)
    var peers: [TransportRecorder] = []
    for _ in 0..<10 { peers.append(await RawClient.upgraded(by: server)) }
    let shutdown = Task {
      await server.shutDown(within: .seconds(3), spreadOver: .seconds(20), code: .serviceRestart)
    }
    func closed() -> [Int] { peers.indices.filter { !peers[$0].log.value.received.isEmpty } }
    await peers[9].log.wait { !$0.received.isEmpty }
    var elapsed = 0.0
    while closed().count < 10, elapsed < 3_600 {
      // One connection closes every two seconds; a wait can begin a moment late.
      let indices = closed()
      #expect(Double(indices.count) <= 1 + elapsed / 2)
      #expect(indices == Array(10 - indices.count..<10))
      time.advance(by: .milliseconds(500))
      elapsed += 0.5
      await EventLoop.shared.settle(turns: 10)
    }
    #expect(elapsed >= 18)
    for peer in peers {
      #expect(await peer.closeCode() == .serviceRestart)
      peer.transport.close()
    }
    #expect(await shutdown.value == 0)
  }

  @Test func `cancelled draining drops all clients at once`() async throws {
    let server = try patient(VirtualTime())
    let peers = [await RawClient.upgraded(by: server), await RawClient.upgraded(by: server)]
    let shutdown = Task { await server.shutDown(spreadOver: .seconds(86_400)) }
    #expect(await peers[1].closeCode() == .goingAway)
    shutdown.cancel()
    #expect(await shutdown.value == 2)
    for peer in peers {
      await peer.log.wait { $0.ended == 1 || $0.isClosed }
      peer.transport.close()
    }
  }

  @Test(arguments: [false, true])
  func `a close during draining closes all clients at once`(byShuttingDown: Bool) async throws {
    let server = try patient(VirtualTime())
    var peers: [TransportRecorder] = []
    for _ in 0..<5 { peers.append(await RawClient.upgraded(by: server)) }
    let draining = Task { await server.shutDown(spreadOver: .seconds(86_400)) }
    #expect(await peers[4].closeCode() == .goingAway)
    let second = byShuttingDown ? Task { await server.shutDown() } : nil
    if !byShuttingDown { server.close() }
    for peer in peers {
      #expect(await peer.closeCode() == .goingAway)
      peer.transport.close()
    }
    // No time passes.
    #expect(await draining.value == 0)
    #expect(await second?.value ?? 0 == 0)
  }

  @Test func `draining ends when all clients have disconnected early`() async throws {
    let server = try patient(VirtualTime())
    let peers = [await RawClient.upgraded(by: server), await RawClient.upgraded(by: server)]
    let draining = Task { await server.shutDown(spreadOver: .seconds(86_400)) }
    #expect(await peers[1].closeCode() == .goingAway)
    for peer in peers { peer.transport.close() }
    #expect(await draining.value == 0)
  }

  @Test func `a client with a pending decision is rejected when draining begins`() async throws {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    configuration.closeTimeout = .seconds(86_400)
    let isAsked = Watched(false)
    var admission = WebSocketAdmission()
    admission.decide = { request in
      guard request.path == "/late" else { return .accept() }
      isAsked.update { $0 = true }
      try await Task.sleep(for: .seconds(86_400))
      return .accept()
    }
    let server = try WebSocketServer(configuration: configuration, admission: admission)
    let late = await RawClient.connected(to: server)
    late.send(Array(RawClient.request.replacing("/chat", with: "/late").utf8))
    await isAsked.wait { $0 }
    // Newer than the pending client.
    let peers = [await RawClient.upgraded(by: server), await RawClient.upgraded(by: server)]
    let draining = Task { await server.shutDown(spreadOver: .seconds(86_400)) }
    await late.log.wait { $0.ended == 1 || $0.isClosed }
    #expect(late.text.hasPrefix("HTTP/1.1 503 "))
    #expect(server.totals.open == 2)
    for peer in peers + [late] { peer.transport.close() }
    #expect(await draining.value == 0)
  }
}
