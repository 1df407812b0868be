import Foundation
import TestSupport
import Testing

@Suite("The page on faults", .workerPool) struct FaultsPageTests {
  @Test func `names tests that there are`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appending(path: "Sources/Sockets/Sockets.docc/Faults.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .dropFirst(2)
    #expect(rows.count > 10)
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    let sources = try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    for row in rows {
      let name = try #require(row.split(separator: " | ").last).dropLast(2)
      #expect(sources.contains { $0.contains("@Test") && $0.contains("func \(name)(") }, "\(name)")
    }
  }
}
