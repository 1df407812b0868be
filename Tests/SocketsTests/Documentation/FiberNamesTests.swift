import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of Fiber's guide to WebSockets, block by block, in the names of this package.
@Suite("Fiber's examples", .workerPool)
struct FiberNamesTests {
  struct ChatMessage: Codable, Equatable, Sendable {
    let user: String
    let text: String
    let timestamp: Date
  }

  struct JoinMessage: Codable, Sendable {
    let type: String
  }

  private let echo: EchoServer
  private let timestamp = Date(timeIntervalSinceReferenceDate: 7)

  init() throws { echo = try EchoServer(.init(subprotocols: ["chat.v2"])) }

  private var url: String { echo.url }
  private var served: WebSocket? { echo.sockets.value.last }

  // MARK: Connecting

  @Test func `Fiber: connecting`() async throws {
    let ws = WebSocket.connect(to: url)
    try await ws.connected()
    #expect(ws.state == .connected)
    ws.close()
  }

  @Test func `F01: Fiber connects with headers, subprotocols and configuration`() async throws {
    let ws = WebSocket.connect(
      to: url,
      configuration: {
        var configuration = WebSocketConfiguration(
          headers: ["Authorization": "Bearer my-token", "X-Client-ID": "ios-app"],
          subprotocols: ["chat.v2"]
        )
        configuration.handshakeTimeout = .seconds(30)
        return configuration
      }()
    )
    try await ws.connected()
    #expect(ws.subprotocol == "chat.v2")
    let request = try #require(served?.request)
    #expect(request.headers["Authorization"] == "Bearer my-token")
    #expect(request.headers["X-Client-ID"] == "ios-app")
    ws.close()
  }

  // MARK: Sending

  @Test func `F02, F03, F04: Fiber sends text, data and JSON`() async throws {
    let ws = WebSocket.connect(to: url)
    let messages = ws.values
    try await ws.connected()
    let (imageData, binaryData) = (Data([1, 2]), Data([3]))
    let myEncodable = JoinMessage(type: "join")

    // Plain text
    try ws.send("Hello, server!")

    // Binary data
    try ws.send(imageData)

    // JSON-encoded
    try ws.send(json: myEncodable)

    // WebSocketMessage enum directly
    try ws.send(.text("ping"))
    try ws.send(.binary(binaryData))
    try ws.send(.json(myEncodable))

    let json = WebSocketMessage.text(#"{"type":"join"}"#)
    var received: [WebSocketMessage] = []
    for try await message in messages {
      received.append(message)
      if received.count == 6 { break }
    }
    #expect(
      received == [
        .text("Hello, server!"), .binary(imageData), json, .text("ping"), .binary(binaryData), json,
      ])
    ws.close()
  }

  // MARK: Receiving

  @Test func `F05: Fiber receives events`() async throws {
    let ws = WebSocket(url)
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }
    let events = ws.events.values
    ws.connect()

    for try await event in events {
      switch event {
      case .connected:
        print("Connected!")
        try ws.send("Hello")

      case .message(.text(let text)):
        print("Text: \(text)")
        try ws.send(Data(count: 3))

      case .message(.binary(let data)):
        print("Binary: \(data.count) bytes")
        served?.close(code: 4_001, reason: "bye")

      case .disconnected(let code, let reason):
        print("Disconnected: code=\(code) reason=\(reason)")

      case .error(let error):
        print("Error: \(error)")
      }
    }

    #expect(
      lines == [
        "Connected!", "Text: Hello", "Binary: 3 bytes", "Disconnected: code=4001 reason=bye",
      ])
  }

  @Test func `Fiber: receiving messages only`() async throws {
    let ws = WebSocket.connect(to: url)
    let messages = ws.values
    try await ws.connected()
    try ws.send("text")
    try ws.send(Data([7]))
    var received: [String] = []

    for try await message in messages {
      switch message {
      case .text(let text):
        received.append(text)
      case .binary(let data):
        received.append("\(data.count) bytes")
        ws.close()
      }
    }

    #expect(received == ["text", "1 bytes"])
  }

  // MARK: Typed messages

  @Test func `Fiber: sending and decoding JSON`() async throws {
    let ws = WebSocket.connect(to: url)
    let messages = ws.values
    try await ws.connected()

    // Convenience method on the WebSocket
    try ws.send(
      json: ChatMessage(
        user: "alice",
        text: "hello everyone",
        timestamp: timestamp
      ))

    // Or create a message explicitly
    let msg = try WebSocketMessage.json(
      ChatMessage(user: "bob", text: "hi", timestamp: timestamp))
    try ws.send(msg)
    try ws.send("no JSON")
    try ws.send(json: ChatMessage(user: "eve", text: "bye", timestamp: timestamp))

    var lines: [String] = []
    for try await message in messages {
      if let chat: ChatMessage = try? message.decode() {
        lines.append("\(chat.user): \(chat.text)")
        if chat.user == "eve" { break }
      }
    }

    #expect(lines == ["alice: hello everyone", "bob: hi", "eve: bye"])
    ws.close()
  }

  @Test func `Fiber: a message's text and data`() {
    let text = WebSocketMessage.text("hello")
    #expect(text.text == "hello")
    #expect(text.data == Data("hello".utf8))

    let binary = WebSocketMessage.binary(Data([1]))
    #expect(binary.text == nil)
    #expect(binary.data == Data([1]))
  }

  // MARK: Reconnecting

  @Test func `Fiber: automatic reconnection`() async throws {
    let (url, currentToken) = (url, "1234")
    let ws = ReconnectingWebSocket(
      connect: {
        WebSocket.connect(
          to: url,
          configuration: .init(headers: ["Authorization": "Bearer \(currentToken)"])
        )
      },
      strategy: .exponential(
        base: .milliseconds(1),  // 1 second by default
        cap: .seconds(30),  // cap at 30s
        maxAttempts: 10  // give up after 10 attempts
      ),
      log: .standardError()
    )
    let lines = Watched<[String]>([])
    @Sendable func print(_ line: String) { lines.update { $0.append(line) } }
    let events = ws.events.values

    // Start the connection
    ws.connect()

    // Use normally: reconnection is transparent
    let reading = Task {
      for try await event in events {
        switch event {
        case .connected:
          print("Connected (or reconnected)")
        case .message(let msg):
          print(msg.text ?? "")
        case .disconnected:
          print("Disconnected: will connect again")
        case .error(let error):
          print("Error: \(error): will connect again")
        }
      }
    }

    // Send messages (queued if reconnecting)
    try ws.send(.text("hello"))
    await lines.wait { $0.contains("hello") }
    served?.close(code: .goingAway)
    await lines.wait { $0.count { $0.hasPrefix("Connected") } == 2 }

    // Stop reconnection and close
    ws.close()
    try await reading.value
    #expect(
      lines.value == [
        "Connected (or reconnected)", "hello", "Disconnected: will connect again",
        "Connected (or reconnected)", "Disconnected: will connect again",
      ])
  }

  @Test func `Fiber: a custom reconnection strategy`() {
    let custom = ReconnectionStrategy(
      maxAttempts: 5,
      delayForAttempt: { attempt in
        // Custom: fast first retry, then slow
        attempt == 0 ? .milliseconds(100) : .seconds(attempt) * 2
      }
    )

    let time = VirtualTime()
    let attempts = Locked<[TimeInterval]>([])
    let ws = time.run {
      ReconnectingWebSocket(
        connect: {
          attempts.withLock { $0.append(time.elapsed) }
          throw WebSocketError.connectionLost
        },
        strategy: custom
      )
    }
    ws.connect()
    time.advance(by: .seconds(60))
    #expect(attempts.withLock { $0 } == [0, 0.1, 2.1, 6.1, 12.1, 20.1])
  }

  // MARK: Lifecycle

  @Test func `F18, F19: Fiber observes states, and closes with a code that the peer receives`()
    async throws
  {
    let ws = WebSocket(url)
    let states = ws.states.values
    #expect(ws.state == .idle)
    try await ws.connected()
    #expect(ws.state == .connected)

    // With specific close code and reason; 1000 without
    ws.close(code: 1001, reason: "Going away")

    #expect(ws.state != .connected)
    var emitted: [WebSocketState] = []
    for try await state in states { emitted.append(state) }
    #expect(emitted == [.idle, .connecting, .connected, .disconnecting, .disconnected])
    let end = try await #require(served).closed()
    #expect(end == (1001, "Going away"))
  }

  // MARK: Testing

  @Test func `Fiber: testing without a connection`() async throws {
    // Create a paired mock: messages sent to one appear on the other
    let (client, server) = MockWebSocket.pair()

    // Simulate server sending a message
    try server.send(.text("welcome"))

    // Client receives it
    for try await event in client.events.values {
      if case .message(.text(let text)) = event {
        #expect(text == "welcome")
        break
      }
    }

    // Test client sending
    try client.send(.text("hello"))
    for try await event in server.events.values {
      if case .message(.text(let text)) = event {
        #expect(text == "hello")
        break
      }
    }

    // Test disconnection
    client.close(code: 1000, reason: "test done")
    #expect(client.state == .disconnected)
    #expect(server.state == .disconnected)
  }

  // MARK: A chat room

  /// Pure function: parse incoming WebSocket events into chat messages.
  private static func parseChatMessage(_ event: WebSocketEvent) -> ChatMessage? {
    guard case .message(let msg) = event else { return nil }
    return try? msg.decode(ChatMessage.self)
  }

  /// Factory: create a chat WebSocket for a given room.
  private static func makeChatSocket(
    url: String, roomID: String, token: String
  ) -> ReconnectingWebSocket {
    ReconnectingWebSocket(
      connect: {
        WebSocket.connect(
          to: "\(url)rooms/\(roomID)",
          configuration: .init(headers: ["Authorization": "Bearer \(token)"])
        )
      },
      strategy: .exponential(maxAttempts: 20),
      log: .standardError(.info)
    )
  }

  /// Usage: compose everything.
  private static func runChat(
    _ ws: ReconnectingWebSocket, print: (String) -> Void
  ) async throws {
    let events = ws.events.values
    ws.connect()

    for try await event in events {
      switch event {
      case .connected:
        try ws.send(.json(JoinMessage(type: "join")))

      case .message:
        if let chat = parseChatMessage(event) {
          print("[\(chat.user)] \(chat.text)")
          ws.close()
        }

      case .disconnected, .error:
        break  // ReconnectingWebSocket handles reconnection
      }
    }
  }

  /// Send a message: just a function call on the socket value.
  private static func sendChat(
    _ text: String, as user: String, via ws: ReconnectingWebSocket
  ) throws {
    try ws.send(.json(ChatMessage(user: user, text: text, timestamp: Date())))
  }

  @Test func `Fiber: a chat room`() async throws {
    let ws = Self.makeChatSocket(url: url, roomID: "7", token: "1234")
    try Self.sendChat("hello", as: "alice", via: ws)
    var lines: [String] = []
    try await Self.runChat(ws) { lines.append($0) }
    #expect(lines == ["[alice] hello"])
    #expect(served?.request?.path == "/rooms/7")
  }
}
