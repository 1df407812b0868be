import Foundation
import TestSupport
import Testing

@Suite(.workerPool) struct CableChecklistTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test func `every row of the ActionCable checklist has the tests that it names`() throws {
    let page = try text("Sources/ActionCable/ActionCable.docc/ActionCableChecklist.md")
    let folders = ["ActionCableTests", "SocketsTests/Client", "InteropTests"]
    var sources: [String: String] = [:]
    for folder in folders {
      let directory = Self.root.appending(path: "Tests/\(folder)")
      for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
      where path.hasSuffix("Tests.swift") {
        let name = URL(filePath: path).deletingPathExtension().lastPathComponent
        sources[name] = try text("Tests/\(folder)/\(path)")
      }
    }
    var rows: [String] = []
    for line in page.split(separator: "\n") {
      guard let row = line.firstMatch(of: /^\| ([CJAU]\d+) \|/)?.1 else { continue }
      rows.append(String(row))
      for suite in line.matches(of: /`(\w+Tests)`/).map({ String($0.1) }) {
        let names = sources[suite]?.matches(of: /@Test[^`]*`([^`]*)`/).map(\.1) ?? []
        let hasOne = names.contains { $0.split { !$0.isLetter && !$0.isNumber }.contains(row) }
        #expect(hasOne, "\(suite) has no test of \(row)")
      }
    }
    let all =
      (1...31).map { String(format: "C%02d", $0) } + (1...14).map { String(format: "J%02d", $0) }
      + (1...19).map { "A\($0)" } + (1...8).map { "U\($0)" }
    #expect(rows == all)
  }
}
