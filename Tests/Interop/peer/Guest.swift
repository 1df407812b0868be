import Foundation
import Sockets

/// The client of `interop-peer talk` and `interop-peer stay`.
struct Guest {
  private let url: String
  private var configuration = WebSocketConfiguration(subprotocols: ["chat.v2", "chat.v1"])
  private var address: String?
  private var closeAnswer: CloseCode = 4_001

  init(_ url: String, options: ArraySlice<String>) throws {
    self.url = url
    configuration.compression = .deflate()
    var options = options
    while let option = options.popFirst(), let value = options.popFirst() {
      switch option {
      case "--proxy": configuration.proxy = .http(value)
      case "--authority": configuration.tls.authorities = .only(try PEM(contentsOfFile: value))
      case "--address":
        address = value
        configuration.headers["X-Forwarded-For"] = value
      case "--close-answer": closeAnswer = CloseCode(rawValue: UInt16(value) ?? 0)
      default: throw Failure("there is no option \(option)")
      }
    }
  }

  // MARK: Talking

  func talk() async throws {
    let socket = WebSocket(url, configuration: configuration)
    try await socket.connected()
    note("\(socket.subprotocol ?? "no subprotocol"), \(socket.extensions)")
    try await echo(over: socket)
    note("text, bytes, empty and fragmented messages, 1 MiB and a thousand in order come back")
    _ = try await socket.ping()
    // As long as the idle timeout of the proxies: connections of our server are never idle.
    try await Task.sleep(for: .seconds(3))
    try socket.send("still there")
    try expect(try await socket.receive(), .text("still there"))
    note("pings go both ways, and keep it")
    let events = socket.events.values
    socket.close(code: 4_001, reason: "bye")
    let code = try await end(of: events).code
    try expect(code, closeAnswer)
    note("our close is answered with \(code.rawValue)")
    try await beClosed()
    note("its close comes with code and reason")
    try await beFound()
  }

  private func echo(over socket: WebSocket) async throws {
    var noise = [UInt8](repeating: 0, count: 1 << 20)
    for index in noise.indices { noise[index] = .random(in: 0...255) }
    let messages: [WebSocketMessage] = [
      .text("hello"), .text(""), .text("grüße 🎉"), .binary(Data()), .binary(Data([0, 255])),
      .binary(Data(noise)), .text(String(repeating: "ü", count: 1 << 19)),
    ]
    for message in messages {
      try socket.send(message)
      guard try await socket.receive() == message else {
        throw Failure("a message of \(message.data.count) bytes came back as another one")
      }
    }
    let parts = AsyncStream { continuation in
      for part in ["in ", "drei ", "", "Stücken"] { continuation.yield(part) }
      continuation.finish()
    }
    try await socket.sendFragments(of: parts)
    try expect(try await socket.receive(), .text("in drei Stücken"))
    for number in 0..<1_000 { try socket.send("\(number)") }
    for number in 0..<1_000 { try expect(try await socket.receive(), .text("\(number)")) }
  }

  private func beClosed() async throws {
    let socket = WebSocket(beside("close?4002"), configuration: configuration)
    let events = socket.events.values
    socket.connect()
    let (code, reason) = try await end(of: events)
    try expect(code, 4_002)
    try expect(reason, "as \"asked\": ü")
  }

  /// The server reports the client address that the proxy sent.
  private func beFound() async throws {
    guard let address else { return }
    let socket = WebSocket(beside("address"), configuration: configuration)
    try await socket.connected()
    try expect(try await socket.receive(), .text(address))
    socket.close()
    note("the server finds the client at \(address)")
  }

  /// How a connection ends.
  private func end(
    of events: some AsyncSequence<WebSocketEvent, any Error>
  ) async throws -> (code: CloseCode, reason: String) {
    for try await event in events {
      switch event {
      case .error(let error): throw error
      case .disconnected(let code, let reason): return (code, reason)
      case .connected, .message: break
      }
    }
    throw Failure("it has not ended")
  }

  // MARK: Staying

  func stay(_ count: Int) async throws {
    let (url, configuration) = (url, configuration)
    let socket = ReconnectingWebSocket(
      connect: { WebSocket(url, configuration: configuration) },
      strategy: .fixed(.milliseconds(200), maxAttempts: nil)
    )
    var echoes = 0
    let events = socket.events.values
    socket.start()
    for try await event in events {
      switch event {
      case .connected: try socket.send("hello")
      case .message:
        echoes += 1
        Peer.print("echo \(echoes)")
        if echoes == count { socket.stop() }
      case .error(let error): Peer.print("outage: \(error)")
      case .disconnected(let code, _): Peer.print("disconnected: \(code.rawValue)")
      }
    }
    try expect(echoes, count)
  }

  // MARK: Parts

  private func beside(_ path: String) -> String {
    url[...(url.lastIndex(of: "/") ?? url.startIndex)] + path
  }

  private func note(_ check: String) { Peer.print("ok: \(url): \(check)") }

  private func expect<Value: Equatable>(_ found: Value, _ expected: Value) throws {
    guard found == expected else {
      throw Failure("expected \("\(expected)".prefix(80)), not \("\(found)".prefix(80))")
    }
  }
}
