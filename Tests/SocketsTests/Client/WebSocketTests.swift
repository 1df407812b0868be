import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

/// A server that echoes every message, and closes its connections when it is released.
struct EchoServer {
  let server: WebSocketServer
  let sockets = Watched<[WebSocket]>([])
  let bag = DisposeBag()

  init(_ configuration: WebSocketConfiguration = .init()) throws {
    server = try WebSocketServer(configuration: configuration.onStoppedClock)
    server.connections
      .subscribe(onNext: { [sockets, bag] socket in
        sockets.update { $0.append(socket) }
        socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
          .disposed(by: bag)
      })
      .disposed(by: bag)
  }

  var url: String { server.url }
}

@Suite("A WebSocket over TCP", .workerPool)
struct WebSocketTests {
  @Test func `F02, F03, U02: a WebSocket sends and receives text and data, and closes`()
    async throws
  {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url)
    socket.connect()
    await recorder.waitUntilConnected()
    try socket.send("hello")
    try socket.send(Data([1, 2, 3]))
    try socket.send("")
    await recorder.log.wait { $0.messages.count == 3 }
    socket.close(code: 1000, reason: "done")
    await recorder.waitUntilOver()
    let log = recorder.value
    #expect(log.messages == [.text("hello"), .binary(Data([1, 2, 3])), .text("")])
    #expect(log.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
    #expect(
      log.events == [.connected] + log.messages.map { .message($0) }
        + [.disconnected(code: .normal, reason: "")]
    )
    #expect(log.failure == nil)
    #expect(socket.state == .disconnected)
  }

  @Test func `the messages of a WebSocket are an async sequence`() async throws {
    let echo = try EchoServer()
    let socket = WebSocket.connect(to: echo.url)
    var received: [WebSocketMessage] = []
    for try await event in socket.events.values {
      switch event {
      case .connected: try socket.send("hello")
      case .message(let message):
        received.append(message)
        socket.close()
      case .error(let error): Issue.record(error)
      case .disconnected(let code, _): #expect(code == .normal)
      }
    }
    #expect(received == [.text("hello")])
  }

  @Test(arguments: [64 << 10, 16 << 20])
  func `a WebSocket carries long messages whole`(length: Int) async throws {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url)
    socket.connect()
    await recorder.waitUntilConnected()
    let data = Data(pattern(length))
    // Several at a time: neither side may wait for the other to read first.
    try socket.send(data)
    try socket.send(data)
    await recorder.log.wait { $0.messages.count == 2 }
    #expect(recorder.value.messages.allSatisfy { $0 == .binary(data) })
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `messages of eight threads arrive whole and in each thread's order`() async throws {
    let server = try WebSocketServer()
    let bag = DisposeBag()
    let received = Watched<[String]>([])
    server.connections
      .subscribe(onNext: { socket in
        socket.messages.subscribe(onNext: { message in
          received.update { $0.append(message.text ?? "") }
        })
        .disposed(by: bag)
      })
      .disposed(by: bag)
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    let padding = String(repeating: "x", count: 100)
    for thread in 0..<8 {
      Thread.detachNewThread {
        for number in 0..<1_000 { try? socket.send("\(thread) \(number) \(padding)") }
      }
    }
    await received.wait { $0.count == 8_000 }
    for thread in 0..<8 {
      let own = received.value.filter { $0.hasPrefix("\(thread) ") }
      #expect(own == (0..<1_000).map { "\(thread) \($0) \(padding)" })
    }
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `every observer receives all messages after its subscription`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    let second = SocketEventRecorder(socket)
    socket.connect()
    let peer = try await raw.upgradedPeer(then: Wire.frame(0x81, "a", masked: false))
    // Events are delivered after messages, so the end of the events is the end of both.
    await recorder.log.wait { $0.texts == ["a"] && $0.events.last == .message(.text("a")) }
    let late = SocketEventRecorder(socket)
    peer.send(Wire.frame(0x81, "b", masked: false))
    await late.log.wait { $0.texts == ["b"] }
    await second.log.wait { $0.texts == ["a", "b"] }
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
    for recorder in [recorder, second, late] { await recorder.waitUntilOver() }
    #expect(recorder.value.texts == ["a", "b"])
    #expect(late.value.events.first == .message(.text("b")))
    #expect(late.value.states == [.connected, .disconnecting, .disconnected])
    let last = SocketEventRecorder(socket)
    await last.waitUntilOver()
    #expect(last.value.states == [.disconnected])
    #expect(last.value.events == [])
  }

  @Test func `frames arrive in wire order before their messages, control frames too`() async throws
  {
    let raw = try RawServer()
    let socket = WebSocket(raw.url, configuration: .init().onStoppedClock)
    let emitted = Watched<[String]>([])
    let bag = DisposeBag()
    socket.frames
      .subscribe(onNext: { frame in
        emitted.update {
          $0.append("\(frame.opcode) \(String(decoding: frame.payload, as: UTF8.self))")
        }
      })
      .disposed(by: bag)
    socket.messages
      .subscribe(onNext: { message in emitted.update { $0.append("message \(message.text ?? "")") }
      })
      .disposed(by: bag)
    socket.connect()
    let peer = try await raw.upgradedPeer(
      then: Wire.frame(0x01, "Hel", masked: false) + Wire.frame(0x89, "ping", masked: false)
        + Wire.frame(0x80, "lo", masked: false) + Wire.frame(0x8A, "pong", masked: false)
        + Wire.frame(0x88, [0x03, 0xE8], masked: false)
    )
    await emitted.wait { $0.count == 6 }
    #expect(
      emitted.value == [
        "text Hel", "ping ping", "continuation lo", "message Hello", "pong pong",
        "close \u{3}\u{FFFD}",
      ]
    )
    await peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    #expect(peer.frames.map(\.first) == [0x8A, 0x88])
    #expect(peer.frames.first?.payload == Array("ping".utf8))
    peer.transport.close()
  }

  @Test func `a ping is answered with its payload`() async throws {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url)
    socket.connect()
    await recorder.waitUntilConnected()
    try socket.ping(Data("are you there".utf8))
    await recorder.log.wait { $0.frames == [.pong(Data("are you there".utf8))] }
    #expect(throws: WebSocketError.controlPayloadTooLong(length: 126)) {
      try socket.ping(Data(count: 126))
    }
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `F05, F19: code and reason of a close reach the other side, from either side`()
    async throws
  {
    let echo = try EchoServer()
    for isClientFirst in [true, false] {
      let (socket, recorder) = WebSocket.recorded(to: echo.url)
      socket.connect()
      await recorder.waitUntilConnected()
      await echo.sockets.wait { $0.count == (isClientFirst ? 1 : 2) }
      let served = try #require(echo.sockets.value.last)
      let servedRecorder = SocketEventRecorder(served)
      (isClientFirst ? socket : served).close(code: 4_001, reason: "genug für heute")
      await recorder.waitUntilOver()
      await servedRecorder.waitUntilOver()
      let emitted = WebSocketEvent.disconnected(code: 4_001, reason: "genug für heute")
      // The side that closed first receives the code without a reason.
      let back = WebSocketEvent.disconnected(code: 4_001, reason: "")
      #expect(servedRecorder.value.events.last == (isClientFirst ? emitted : back))
      #expect(recorder.value.events.last == (isClientFirst ? back : emitted))
      #expect(recorder.value.failure == nil && servedRecorder.value.failure == nil)
    }
  }

  @Test func `an invalid close code is reported, and 1000 is sent`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    let peer = try await raw.upgradedPeer()
    await recorder.waitUntilConnected()
    socket.close(code: .abnormal)
    #expect(await peer.closeCode() == .normal)
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(recorder.value.errors == [.closeCodeNotSendable(.abnormal)])
    #expect(recorder.value.closeCode == .normal)
  }

  @Test func `T01: the server's first offered choice is the subprotocol`()
    async throws
  {
    let echo = try EchoServer(.init(subprotocols: ["v3", "v2", "v1"]))
    let (socket, recorder) = WebSocket.recorded(to: echo.url, .init(subprotocols: ["v1", "v2"]))
    #expect(socket.subprotocol == nil)
    socket.connect()
    await recorder.waitUntilConnected()
    #expect(socket.subprotocol == "v2")
    await echo.sockets.wait { $0.count == 1 }
    #expect(echo.sockets.value[0].subprotocol == "v2")
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `F01, U01: path, query and headers reach the server unchanged`() async throws {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(
      to: echo.url + "chat/a%20b?room=1&x=%26",
      .init(headers: ["Authorization": "Bearer 1234"])
    )
    socket.connect()
    await recorder.waitUntilConnected()
    await echo.sockets.wait { $0.count == 1 }
    let request = try #require(echo.sockets.value[0].request)
    #expect(request.path == "/chat/a%20b")
    #expect(request.query == "room=1&x=%26")
    #expect(request.headers["authorization"] == "Bearer 1234")
    #expect(socket.request == nil)
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `T03, U08: send throws before the WebSocket is connected and after it has closed`()
    async throws
  {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    func expectNotConnected(_ state: WebSocketState) {
      #expect(throws: WebSocketError.notConnected(state)) { try socket.send("?") }
      #expect(throws: WebSocketError.notConnected(state)) { try socket.send(Data([1])) }
      #expect(throws: WebSocketError.notConnected(state)) { try socket.ping(Data()) }
    }
    expectNotConnected(.idle)
    socket.connect()
    expectNotConnected(.connecting)
    let peer = try await raw.upgradedPeer()
    await recorder.waitUntilConnected()
    socket.close()
    expectNotConnected(.disconnecting)
    peer.send(Wire.frame(0x88, [], masked: false))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    expectNotConnected(.disconnected)
    #expect(recorder.value.closeCode == .noStatus)
    #expect(peer.frames.map(\.first) == [0x88])
  }

  @Test func `a WebSocket connects once, however often connect is called`() async throws {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url)
    for _ in 0..<8 { Thread.detachNewThread { socket.connect() } }
    await recorder.waitUntilConnected()
    socket.connect()
    try socket.send("once")
    await recorder.log.wait { $0.texts == ["once"] }
    socket.close()
    await recorder.waitUntilOver()
    socket.connect()
    #expect(echo.sockets.value.count == 1)
    #expect(
      recorder.value.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
  }

  @Test func `closing a WebSocket that connects ends the attempt`() async throws {
    let raw = try RawServer()
    let (idle, idleRecorder) = WebSocket.recorded(to: raw.url)
    idle.close()
    await idleRecorder.waitUntilOver()
    #expect(idleRecorder.value.states == [.idle, .disconnected])
    #expect(idleRecorder.value.events == [.disconnected(code: .abnormal, reason: "")])
    #expect(idleRecorder.value.failure == nil)
    idle.connect()
    #expect(idle.state == .disconnected)

    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    let peer = await raw.peerWithRequest()
    socket.close()
    await recorder.waitUntilOver()
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
    #expect(recorder.value.states == [.idle, .connecting, .disconnecting, .disconnected])
    #expect(recorder.value.errors == [])
  }

  @Test func `an observer that closes its WebSocket receives the messages in flight`() async throws
  {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    let bag = DisposeBag()
    socket.messages.subscribe(onNext: { message in
      if message.text == "1" { socket.close(code: 1_001) }
    })
    .disposed(by: bag)
    socket.connect()
    let peer = try await raw.upgradedPeer(
      then: (0..<3).flatMap { Wire.frame(0x81, "\($0)", masked: false) }
    )
    #expect(await peer.closeCode() == .goingAway)
    peer.send(Wire.frame(0x81, "3", masked: false) + Wire.frame(0x88, [0x03, 0xE9], masked: false))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(recorder.value.texts == ["0", "1", "2", "3"])
    #expect(recorder.value.closeCode == .goingAway)
  }

  @Test func `threads that close a WebSocket during delivery close it once`() async throws {
    let echo = try EchoServer()
    let (socket, recorder) = WebSocket.recorded(to: echo.url)
    socket.connect()
    await recorder.waitUntilConnected()
    for thread in 0..<8 {
      Thread.detachNewThread {
        for number in 0..<100 { try? socket.send("\(number)") }
        socket.close(code: CloseCode(rawValue: 4_000 + UInt16(thread)))
      }
    }
    await recorder.waitUntilOver()
    #expect(
      recorder.value.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
    #expect(recorder.value.errors == [])
    #expect((4_000..<4_008).contains(recorder.value.closeCode?.rawValue ?? 0))
  }
}
