import Foundation
import IntegrationTestSupport
import Sockets
import Testing

/// The example as a process of its own, which receives a signal.
@Suite(.timeLimit(.minutes(2))) struct RoomsTests {
  private final class Program: Sendable {
    let output = Watched("")
    let log = Watched("")
    let status = Watched<Int32?>(nil)
    let process = Process()

    init(_ arguments: String...) throws {
      let tests = try #require(Bundle.main.executableURL)
      process.executableURL = tests.deletingLastPathComponent().appending(path: "rooms")
      process.arguments = arguments
      process.standardOutput = pipe(to: output)
      process.standardError = pipe(to: log)
      process.terminationHandler = { [status] process in
        let code = process.terminationReason == .exit ? process.terminationStatus : -1
        status.update { $0 = code }
      }
      try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    private func pipe(to text: Watched<String>) -> Pipe {
      let pipe = Pipe()
      // A thread reads it until the program ends. Ending a `readabilityHandler` has crashed libdispatch.
      Thread {
        let handle = pipe.fileHandleForReading
        while case let bytes = handle.availableData, !bytes.isEmpty {
          text.update { $0 += String(decoding: bytes, as: UTF8.self) }
        }
      }.start()
      return pipe
    }
  }

  private func get(_ path: String, port: Int) async throws -> String {
    let client = try await RawClient(port: port)
    try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    try await client.isClosed.wait { $0 }
    return client.text
  }

  @Test func `on SIGTERM the service closes its sockets with 1012, and ends with status 0`()
    async throws
  {
    let program = try Program("0")
    try await program.output.wait { $0.contains("\n") }
    let port = try #require(Int(program.output.value.split(separator: " ").last?.dropLast() ?? ""))
    let url = "ws://127.0.0.1:\(port)/room"
    let (ann, bob) = (
      WebSocket.connect(to: url, configuration: .quiet),
      WebSocket.connect(to: url, configuration: .quiet)
    )
    try await ann.connected()
    try await bob.connected()
    try await program.log.wait { $0.matches(of: /joined\(/).count == 2 }
    try ann.send("hello")
    #expect(try await ann.receive() == .text("hello"))
    #expect(try await bob.receive() == .text("hello"))

    #expect(try await get("/health", port: port).hasSuffix("\r\n\r\nfine\n"))
    #expect(
      try await get("/metrics", port: port)
        .contains(#"composer.steps{composer.name="Room"} 3.0"#))
    let refused = WebSocket.connect(to: "ws://127.0.0.1:\(port)/other", configuration: .quiet)
    await #expect(throws: WebSocketError.self) { try await refused.connected() }
    try await program.log.wait { $0.contains("quiet") }

    #expect(kill(program.process.processIdentifier, SIGTERM) == 0)
    #expect(try await ann.closed().code == .serviceRestart)
    #expect(try await bob.closed().code == .serviceRestart)
    try await program.status.wait { $0 != nil }
    #expect(program.status.value == 0)
    try await program.output.wait { $0.contains("spans\n") }
    #expect(program.output.value.contains("1 messages, 0 members, "))
    try await program.log.wait { $0.contains("websocket.close.code=1012") }
    #expect(program.log.value.contains("websocket.connection.id=1"))
    await #expect(throws: (any Error).self) { _ = try await RawClient(port: port) }
  }
}
