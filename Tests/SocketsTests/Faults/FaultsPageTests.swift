import Foundation
import TestSupport
import Testing

@Suite("The page on faults", .workerPool) struct FaultsPageTests {
  @Test func `each row of the page on faults names existing tests or scripts`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let root = tests.deletingLastPathComponent()
    let page = root.appending(path: "Sources/Sockets/Sockets.docc/Faults.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasSuffix("| test |") }
    #expect(rows.count > 50)
    let files = ["SocketsTests", "ActionCableTests"].flatMap { folder -> [URL] in
      let tests = root.appending(path: "Tests/\(folder)")
      let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
      return files?.allObjects as? [URL] ?? []
    }
    let sources = try files.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    for row in rows {
      let evidence = try #require(row.split(separator: " | ").last).dropLast(2)
      for name in evidence.split(separator: "; ") {
        let script = root.appending(path: String(name.dropFirst().dropLast())).path()
        let isScript =
          name.hasSuffix(".sh`") && FileManager.default.isExecutableFile(atPath: script)
        let isTest = sources.contains { $0.contains("@Test") && $0.contains("\(name)(") }
        #expect(isScript || isTest, "\(name)")
      }
    }
  }
}
