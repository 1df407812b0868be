import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The Python package `websockets`: `Tests/Interop/websockets/run.sh` starts it and runs these.
private enum Peer {
  static let url = ProcessInfo.processInfo.environment["INTEROP_WEBSOCKETS_URL"]
  static let client = ProcessInfo.processInfo.environment["INTEROP_WEBSOCKETS_CLIENT"]
}

@Suite(
  "Python's websockets",
  .enabled(if: Peer.url != nil, "Tests/Interop/websockets/run.sh sets the address."),
  .workerPool
)
struct WebSocketsTests {
  // MARK: Our client, its server

  /// What a connection to `path` tells, each event once `react` has seen it.
  private func talk(
    _ path: String,
    _ configuration: WebSocketConfiguration = .init(),
    _ react: (WebSocket, WebSocketEvent) throws -> Void = { _, _ in }
  ) async throws -> [WebSocketEvent] {
    let socket = WebSocket.connect(to: (Peer.url ?? "") + path, configuration: configuration)
    var events: [WebSocketEvent] = []
    for try await event in socket.events.values {
      events.append(event)
      try react(socket, event)
    }
    return events
  }

  @Test func `its server echoes what our client sends`() async throws {
    let messages: [WebSocketMessage] = [
      .text("hello"), .text(""), .text("grüße 🎉"), .binary(Data([0, 255])),
      .binary(Data(repeating: 7, count: 1 << 20)), .text(String(repeating: "ü", count: 1 << 19)),
    ]
    var heard: [WebSocketMessage] = []
    let events = try await talk("/") { socket, event in
      switch event {
      case .connected: for message in messages { try socket.send(message) }
      case .message(let message):
        heard.append(message)
        if heard.count == messages.count { socket.close() }
      case .error, .disconnected: break
      }
    }
    // One by one: a failure prints what it compares.
    #expect(heard.map(\.data.count) == messages.map(\.data.count))
    let isSame = heard == messages
    #expect(isSame)
    #expect(events.last == .disconnected(code: .normal, reason: ""))
  }

  @Test func `its server's fragments are one message`() async throws {
    let events = try await talk("/fragmented") { socket, event in
      switch event {
      case .connected: try socket.send("in fragments of drei, auch über Zeichen")
      case .message: socket.close()
      case .error, .disconnected: break
      }
    }
    #expect(events.contains(.message(.text("in fragments of drei, auch über Zeichen"))))
  }

  @Test func `its server's ping is answered`() async throws {
    let events = try await talk("/ping") { socket, event in
      if case .message = event { socket.close() }
    }
    #expect(
      events == [.connected, .message(.text("pong")), .disconnected(code: .normal, reason: "")]
    )
  }

  @Test func `its server answers our ping`() async throws {
    let socket = WebSocket((Peer.url ?? "") + "/")
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

  @Test func `its server's close code and reason arrive`() async throws {
    let events = try await talk("/close")
    #expect(events == [.connected, .disconnected(code: 4002, reason: "genug für heute")])
  }

  @Test func `our close code and reason arrive`() async throws {
    let events = try await talk("/closed") { socket, event in
      if event == .connected { socket.close(code: 4001, reason: "bye from Swift") }
    }
    // Its answer repeats the reason.
    #expect(events.last == .disconnected(code: 4001, reason: "bye from Swift"))
    let verdict = try await talk("/verdict")
    #expect(verdict.contains(.message(.text("4001 bye from Swift"))))
  }

  @Test func `its server chooses a subprotocol, and no compression`() async throws {
    let events = try await talk("/extensions", .init(subprotocols: ["v1", "v2"])) { socket, event in
      if event == .connected { #expect(socket.subprotocol == "v2") }
    }
    #expect(events.contains(.message(.text(""))))
  }

  @Test func `its server compresses, with the window that we ask for, and understands ours`()
    async throws
  {
    for keepsContext in [true, false] {
      var configuration = WebSocketConfiguration()
      configuration.compression = .deflate(threshold: 0, windowBits: 10, keepsContext: keepsContext)
      let socket = WebSocket.connect(to: (Peer.url ?? "") + "/", configuration: configuration)
      let messages = (1...20).map { String(repeating: "grüße 🎉 \($0)", count: $0 * 100) }
      var heard: [String] = []
      for try await event in socket.events.values {
        switch event {
        case .connected:
          #expect(socket.extensions.contains("server_max_window_bits=10"))
          #expect(socket.extensions.contains("client_max_window_bits=10"))
          #expect(socket.extensions.contains("server_no_context_takeover") == !keepsContext)
          for message in messages { try socket.send(message) }
        case .message(let message):
          heard.append(message.text ?? "")
          if heard.count == messages.count { socket.close() }
        case .error(let error): Issue.record(error)
        case .disconnected: break
        }
      }
      #expect(heard == messages)
    }
  }

  // MARK: Its client, our server

  @Test func `its client finds nothing wrong with our server`() async throws {
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
    client.arguments = ["python3", Peer.client ?? "", server.url]
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
