import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Two mock WebSockets", .workerPool)
struct MockWebSocketTests {
  private let lost = WebSocketError.connectionLost

  @Test func `F20: a mock WebSocket delivers messages to its peer and records them`() throws {
    let (client, server) = MockWebSocket.pair()
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    try client.send("one")
    try client.send(Data([1]))
    try server.send("two")
    #expect(there.events == [.connected, .message(.text("one")), .message(.binary(Data([1])))])
    #expect(here.texts == ["two"])
    #expect(client.sent == [.text("one"), .binary(Data([1]))])
    #expect(server.received == client.sent)
  }

  @Test func `F20: a close of a mock WebSocket closes both peers with its code and reason`() {
    let (client, server) = MockWebSocket.pair()
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    client.close(code: 4_000, reason: "test done")
    #expect(client.state == .disconnected)
    #expect(server.state == .disconnected)
    #expect(there.events == [.connected, .disconnected(code: 4_000, reason: "test done")])
    #expect(here.events == [.connected, .disconnected(code: 4_000, reason: "")])
    #expect(there.states == [.connected, .disconnecting, .disconnected])
    #expect(here.states == there.states)
    #expect(here.ends == 3 && there.ends == 3)
    #expect(throws: WebSocketError.notConnected(.disconnected)) { try client.send("late") }
  }

  @Test
  func `F20: an error of a mock WebSocket ends both peers, and the peer's connection is lost`() {
    let (client, server) = MockWebSocket.pair()
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    client.fail(.transport(.reset))
    let end = WebSocketEvent.disconnected(code: .abnormal, reason: "")
    #expect(here.events == [.connected, .error(.transport(.reset)), end])
    #expect(there.events == [.connected, .error(lost), end])
    #expect(here.failure == .transport(.reset) && there.failure == lost)
  }

  @Test func `a mock WebSocket reports a close code that cannot be sent, and sends 1000`() {
    let (client, server) = MockWebSocket.pair()
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    client.close(code: .abnormal)
    #expect(here.events.contains(.error(.closeCodeNotSendable(.abnormal))))
    #expect(there.events.last == .disconnected(code: .normal, reason: ""))
  }

  @Test func `a mock WebSocket counts the calls that end a wait`() {
    let (client, server) = MockWebSocket.pair()
    for _ in 0..<2 { (client as any WebSocketType).reconnectNow() }
    #expect(client.reconnectNowCalls == 2 && server.reconnectNowCalls == 0)
    #expect(client.state == .connected)
  }

  @Test func `mock WebSockets connect when both call connect`() {
    let (client, server) = MockWebSocket.pair(isOpen: false, subprotocol: "chat")
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    client.connect()
    client.connect()
    #expect(client.state == .connecting && server.state == .idle)
    #expect(client.subprotocol == nil)
    #expect(throws: WebSocketError.notConnected(.connecting)) { try client.send("early") }
    server.connect()
    #expect(here.states == [.idle, .connecting, .connected])
    #expect(there.states == here.states)
    #expect(here.events == [.connected])
    #expect(client.subprotocol == "chat")
  }

  @Test
  func `a mock WebSocket cancelled before connect ends without an error, and its peer is lost`() {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let (there, here) = (EventRecorder(server), EventRecorder(client))
    server.connect()
    client.close()
    let end = WebSocketEvent.disconnected(code: .abnormal, reason: "")
    #expect(here.events == [end])
    #expect(here.states == [.idle, .disconnected])
    #expect(there.events == [.error(lost), end])
    #expect(there.states == [.idle, .connecting, .disconnected])
  }

  @Test func `a mock WebSocket cancelled while connecting is disconnecting, then disconnected`() {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let here = EventRecorder(client)
    client.connect()
    client.close()
    #expect(server.state == .disconnected)
    #expect(here.states == [.idle, .connecting, .disconnecting, .disconnected])
    #expect(here.events == [.disconnected(code: .abnormal, reason: "")])
  }

  @Test func `mock WebSockets with a latency deliver after the latency`() throws {
    let time = VirtualTime()
    let (client, server) = MockWebSocket.pair(
      isOpen: false, latency: .milliseconds(50), scheduler: time.scheduler)
    let there = EventRecorder(server)
    client.connect()
    server.connect()
    time.advance(by: .milliseconds(49))
    #expect(client.state == .connecting)
    time.advance(by: .milliseconds(1))
    #expect(client.state == .connected && server.state == .connected)
    try client.send("one")
    client.close()
    time.advance(by: .milliseconds(49))
    #expect(there.texts == [])
    time.advance(by: .milliseconds(1))
    #expect(there.texts == ["one"] && server.state == .disconnected)
    #expect(client.state == .disconnecting)
    time.advance(by: .milliseconds(50))
    #expect(client.state == .disconnected)
  }

  @Test func `a mock WebSocket delivers a message sent during a delivery after that delivery`()
    throws
  {
    let (client, server) = MockWebSocket.pair()
    let here = EventRecorder(client)
    let echo = server.messages.subscribe(onNext: { message in
      try? server.send(message)
      if message == .text("a") { try? client.send("b") }
    })
    defer { echo.dispose() }
    try client.send("a")
    #expect(here.texts == ["a", "b"])
  }

  @Test func `a released mock WebSocket closes with 1001, and both peers are released`() throws {
    var (client, server): (MockWebSocket?, MockWebSocket?) = MockWebSocket.pair()
    let there = EventRecorder(try #require(server))
    weak let other = server
    client = nil
    #expect(there.events.last == .disconnected(code: .goingAway, reason: ""))
    server = nil
    #expect(other == nil)
    _ = client
  }

  @Test func `a mock WebSocket delivers to two observers, and earlier messages to the first`()
    throws
  {
    let (client, server) = MockWebSocket.pair()
    try server.send("early")
    let (first, second) = (EventRecorder(client), EventRecorder(client))
    try server.send("late")
    #expect(first.texts == ["early", "late"])
    #expect(second.texts == ["late"])
  }
}

/// The events of a WebSocket.
private final class EventRecorder: @unchecked Sendable {
  // Accessed only on the thread of the test, on which mocks deliver.
  var states: [WebSocketState] = []
  var events: [WebSocketEvent] = []
  var texts: [String] = []
  var failure: WebSocketError?
  var ends = 0
  private let bag = DisposeBag()

  init(_ socket: some WebSocketType) {
    bag.insert(
      socket.states.subscribe(
        onNext: { [weak self] in self?.states.append($0) },
        onCompleted: { [weak self] in self?.ends += 1 }),
      socket.events.subscribe(
        onNext: { [weak self] in self?.events.append($0) },
        onCompleted: { [weak self] in self?.ends += 1 }),
      socket.messages.subscribe(
        onNext: { [weak self] in if let text = $0.text { self?.texts.append(text) } },
        onError: { [weak self] in self?.failure = $0 as? WebSocketError },
        onCompleted: { [weak self] in self?.ends += 1 })
    )
  }
}
