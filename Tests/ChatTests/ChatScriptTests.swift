import Foundation
import ActionCable
import TestSupport
import Testing

@testable import chat

@Suite("The chat", .workerPool)
struct ChatScriptTests {
  private func transcript() async throws -> [String] {
    let server = try ChatServer.make()
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    try await ChatScript(
      url: server.url,
      restart: { server.disconnectAll("server_restart", reconnect: true) },
      print: { line.yield($0) }
    )
    .run()
    line.finish()
    return await lines.reduce(into: []) { $0.append($1) }
  }

  @Test func `the chat example prints the transcript in ActionCable.md`() async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let docs = try String(
      contentsOf: root.appending(path: "Sources/ActionCable/ActionCable.docc/ActionCable.md"),
      encoding: .utf8
    )
    let lines = try await transcript()
    #expect(docs.contains(lines.joined(separator: "\n")), "\(lines.joined(separator: "\n"))")
  }
}
