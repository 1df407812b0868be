import Foundation
import TestSupport
import Testing

/// Every code block of these articles is part of a test, and every test that they name exists.
@Suite("The articles of Sockets, and one of Reactive", .workerPool)
struct SocketsDocumentationTests {
  private static let articles = [
    "Reconnecting", "SendingRequests", "SocketEffects", "Testing", "FiberNames", "URLSessionNames",
    "ServingTopics", "SocketsRedis", "Deploying", "Memory", "ThreadsAndQueues", "Security",
    "ComparingSockets", "ComparingStreams",
  ]
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func article(_ name: String) throws -> String {
    let module =
      switch name {
      case "SocketsRedis": name
      case "ComparingStreams": "Reactive"
      default: "Sockets"
      }
    let path = Self.root.appending(path: "Sources/\(module)/\(module).docc/\(name).md")
    return try String(contentsOf: path, encoding: .utf8)
  }

  /// The test files by name, without indentation and empty lines.
  private func tests() throws -> [String: String] {
    let folders = [
      "SocketsTests", "SocketsRedisTests", "ReactiveTestingTests", "EchoTests", "ReactiveTests",
      "ComposeTests", "ComposeTutorialTests", "ActionCableTests", "InspectorTests",
    ]
    return try folders.reduce(into: [:]) { tests, folder in
      let folder = Self.root.appending(path: "Tests/\(folder)")
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      where path.hasSuffix(".swift") {
        let file = folder.appending(path: path)
        let name = file.deletingPathExtension().lastPathComponent
        tests[name, default: ""] += lines(of: try String(contentsOf: file, encoding: .utf8))
      }
    }
  }

  private func lines(of text: some StringProtocol) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  @Test(arguments: articles)
  func `every code block of an article is part of a test`(name: String) throws {
    let tests = try tests()
    for block in try article(name).matches(of: /```swift\n((?:.|\n)*?)\n```/) {
      let code = lines(of: block.1)
      if !tests.values.contains(where: { $0.contains(code) }) {
        Issue.record("No test has, in \(name):\n\(code)")
      }
    }
  }

  @Test(arguments: articles)
  func `every test that an article names exists`(name: String) throws {
    let tests = try tests()
    let named = try article(name).matches(of: /`(\w+Tests)`: ([^|;\n]+)/)
    #expect(!named.isEmpty)
    for test in named {
      let sentence = test.2.trimmingCharacters(in: .whitespaces)
      if tests[String(test.1)]?.contains("func `\(sentence)`(") != true {
        Issue.record("\(name) names \(test.1): \(sentence)")
      }
    }
  }
}
