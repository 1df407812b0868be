import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The Python package `websockets`: `Tests/Interop/websockets/run.sh` starts it and runs these.
private enum PythonWebSocketServer {
  static let url = ProcessInfo.processInfo.environment["INTEROP_WEBSOCKETS_URL"]
  static let client = ProcessInfo.processInfo.environment["INTEROP_WEBSOCKETS_CLIENT"]
}

@Suite(
  "Python's websockets",
  .enabled(
    if: PythonWebSocketServer.url != nil, "Tests/Interop/websockets/run.sh sets the address."),
  .workerPool
)
struct WebSocketsTests {
  // MARK: Our client, the package's server

  /// The events of a connection to `path`, each after `react` has handled it.
  private func talk(
    _ path: String,
    _ configuration: WebSocketConfiguration = .init(),
    _ react: (WebSocket, WebSocketEvent) throws -> Void = { _, _ in }
  ) async throws -> [WebSocketEvent] {
    let socket = WebSocket.connect(
      to: (PythonWebSocketServer.url ?? "") + path, configuration: configuration)
    var events: [WebSocketEvent] = []
    for try await event in socket.events.values {
      events.append(event)
      try react(socket, event)
    }
    return events
  }

  @Test func `the websockets server echoes our messages`() async throws {
    let messages: [WebSocketMessage] = [
      .text("hello"), .text(""), .text("grüße 🎉"), .binary(Data([0, 255])),
      .binary(Data(repeating: 7, count: 1 << 20)), .text(String(repeating: "ü", count: 1 << 19)),
    ]
    var received: [WebSocketMessage] = []
    let events = try await talk("/") { socket, event in
      switch event {
      case .connected: for message in messages { try socket.send(message) }
      case .message(let message):
        received.append(message)
        if received.count == messages.count { socket.close() }
      case .error, .disconnected: break
      }
    }
    // Compared separately, because a failure prints its operands.
    #expect(received.map(\.data.count) == messages.map(\.data.count))
    let isSame = received == messages
    #expect(isSame)
    #expect(events.last == .disconnected(code: .normal, reason: ""))
  }

  @Test func `fragments of the websockets server are one message`() async throws {
    let events = try await talk("/fragmented") { socket, event in
      switch event {
      case .connected: try socket.send("in fragments of drei, auch über Zeichen")
      case .message: socket.close()
      case .error, .disconnected: break
      }
    }
    #expect(events.contains(.message(.text("in fragments of drei, auch über Zeichen"))))
  }

  @Test func `a ping of the websockets server is answered`() async throws {
    let events = try await talk("/ping") { socket, event in
      if case .message = event { socket.close() }
    }
    #expect(
      events == [.connected, .message(.text("pong")), .disconnected(code: .normal, reason: "")]
    )
  }

  @Test func `the websockets server answers our ping`() async throws {
    let socket = WebSocket((PythonWebSocketServer.url ?? "") + "/")
    let frames = socket.frames.values
    let states = socket.states.values
    socket.connect()
    for try await state in states where state == .connected { break }
    try socket.ping(Data("are you there".utf8))
    for try await frame in frames {
      #expect(frame == .pong(Data("are you there".utf8)))
      break
    }
    socket.close()
  }

  @Test func `close code and reason of the websockets server arrive`() async throws {
    let events = try await talk("/close")
    #expect(events == [.connected, .disconnected(code: 4002, reason: "genug für heute")])
  }

  @Test func `our close code and reason arrive at the websockets server`() async throws {
    let events = try await talk("/closed") { socket, event in
      if event == .connected { socket.close(code: 4001, reason: "bye from Swift") }
    }
    // The answer of the server repeats the reason.
    #expect(events.last == .disconnected(code: 4001, reason: "bye from Swift"))
    let verdict = try await talk("/verdict")
    #expect(verdict.contains(.message(.text("4001 bye from Swift"))))
  }

  @Test func `the websockets server chooses a subprotocol without compression`() async throws {
    let events = try await talk("/extensions", .init(subprotocols: ["v1", "v2"])) { socket, event in
      if event == .connected { #expect(socket.subprotocol == "v2") }
    }
    #expect(events.contains(.message(.text(""))))
  }

  @Test func `the websockets server compresses with our window, and inflates our messages`()
    async throws
  {
    for keepsContext in [true, false] {
      var configuration = WebSocketConfiguration()
      configuration.compression = .deflate(threshold: 0, windowBits: 10, keepsContext: keepsContext)
      let socket = WebSocket.connect(
        to: (PythonWebSocketServer.url ?? "") + "/", configuration: configuration)
      let messages = (1...20).map { String(repeating: "grüße 🎉 \($0)", count: $0 * 100) }
      var received: [String] = []
      for try await event in socket.events.values {
        switch event {
        case .connected:
          #expect(socket.extensions.contains("server_max_window_bits=10"))
          #expect(socket.extensions.contains("client_max_window_bits=10"))
          #expect(socket.extensions.contains("server_no_context_takeover") == !keepsContext)
          for message in messages { try socket.send(message) }
        case .message(let message):
          received.append(message.text ?? "")
          if received.count == messages.count { socket.close() }
        case .error(let error): Issue.record(error)
        case .disconnected: break
        }
      }
      #expect(received == messages)
    }
  }

  // MARK: The package's client, our server

  @Test func `the websockets client finds no error of our server`() async throws {
    let server = try WebSocketServer(configuration: .init(subprotocols: ["v2", "v1"]))
    let bag = DisposeBag()
    let closed = AsyncStream<WebSocketEvent>.makeStream()
    server.connections
      .subscribe(onNext: { socket in
        if socket.request?.path == "/closed" { try? socket.send("ready") }
        socket.events
          .subscribe(onNext: { event in
            if socket.request?.path == "/closed" { closed.continuation.yield(event) }
            guard case .message(let message) = event else { return }
            switch message.text {
            case "close me": socket.close(code: 4003, reason: "genug für heute")
            case "ping me": try? socket.ping(Data("are you there".utf8))
            default: try? socket.send(message)
            }
          })
          .disposed(by: bag)
        socket.frames
          .subscribe(
            onNext: { frame in
              if frame == .pong(Data("are you there".utf8)) { try? socket.send("pong") }
            },
            onError: { _ in }
          )
          .disposed(by: bag)
      })
      .disposed(by: bag)

    let client = Process()
    client.executableURL = URL(filePath: "/usr/bin/env")
    client.arguments = ["python3", PythonWebSocketServer.client ?? "", server.url]
    let status = await withCheckedContinuation { continuation in
      client.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try client.run() } catch { continuation.resume(returning: -1) }
    }
    #expect(status == 0)
    for await event in closed.stream {
      guard case .disconnected(let code, let reason) = event else { continue }
      #expect(code == 4001 && reason == "bye from Python")
      break
    }
  }
}
