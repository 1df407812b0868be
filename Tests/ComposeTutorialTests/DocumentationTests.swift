import Foundation
import TestSupport
import Testing

/// Checks that tests, or an example, contain the code and the claims of Compose's articles.
@Suite("Compose's documentation", .workerPool)
struct DocumentationTests {
  @Test(arguments: try Article.all())
  func `every block of code in Compose's articles is in a test`(article: Article) throws {
    let tests =
      try Source.beside(#filePath)
      + Source.below("Examples/tasks", "Tests/TasksTests", "Documentation/Tutorial")
    for block in article.blocks where !tests.contains(where: { $0.text.contains(block) }) {
      Issue.record("No test has, in \(article.name):\n\(block)")
    }
  }

  @Test(arguments: try Article.all())
  func `every test that Compose's articles name exists`(article: Article) throws {
    let named = Article.namedTests(in: article.text)
    let tests = try Source.named(Set(named.map(\.suite)))
    for (suite, sentence) in named {
      let isThere = tests.contains {
        $0.name == suite && $0.text.contains("func `\(sentence)`(")
      }
      if !isThere { Issue.record("\(article.name) names \(suite): \(sentence)") }
    }
  }

  @Test(arguments: try Article.all())
  func `every file and article that Compose's articles name exists`(article: Article) throws {
    for path in Article.namedFiles(in: article.text) {
      let file = Repository.root.appendingPathComponent(path)
      if !FileManager.default.fileExists(atPath: file.path) {
        Issue.record("\(article.name) names \(path)")
      }
    }
    let names = Set(try Article.all().map(\.name))
    for name in article.links where !names.contains(name) {
      Issue.record("\(article.name) links to \(name)")
    }
  }

  @Test(arguments: [("Features", 40), ("CommonProblems", 19)])
  func `every row of Compose's tables names a test or file`(name: String, count: Int) throws {
    let article = try #require(try Article.all().first { $0.name == name })
    #expect(article.rows.count >= count)
    for row in article.rows where !row.contains("later") {
      if Article.namedTests(in: row).isEmpty, Article.namedFiles(in: row).isEmpty {
        Issue.record("\(name): \(row)")
      }
    }
  }

  @Test(arguments: ["ComingFromTCA", "ComingFromReactorKit"])
  func `every name that Compose's articles compare with another library is used in a test`(
    name: String
  ) throws {
    let article = try #require(try Article.all().first { $0.name == name })
    let tests = try Source.beside(#filePath)
    let used = Set(tests.flatMap { $0.text.matches(of: /\w+/).map { String($0.0) } })
    for row in article.rows where Article.namedTests(in: row).isEmpty {
      let ours = row.split(separator: "|", omittingEmptySubsequences: false)[2]
      let code = ours.matches(of: /`([^`]+)`/).map { String($0.1) }.joined(separator: " ")
      for word in code.matches(of: /\w{3,}/) where !used.contains(String(word.0)) {
        Issue.record("\(name): no test uses \(word.0)")
      }
    }
  }

  @Test func `the landing page of Compose links to every article`() throws {
    let articles = try Article.all()
    let landing = try #require(articles.first { $0.name == "Compose" })
    #expect(Set(articles.map(\.name)).subtracting(landing.links) == ["Compose"])
  }

  @Test func `the package has neither dependencies nor macros`() throws {
    let manifest = try String(
      contentsOf: Repository.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    #expect(!manifest.contains(".package("))
    #expect(!manifest.contains(".macro("))
  }
}

enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The files below `folder` that end with `suffix`.
  static func files(below folder: URL, _ suffix: String) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(suffix) }.sorted()
      .map { folder.appendingPathComponent($0) }
  }

  /// The lines of `text` without their indentation and without the empty ones.
  static func lines(of text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}

/// A file of tests.
struct Source {
  let name: String
  let text: String

  /// The test files with one of these names.
  static func named(_ names: Set<String>) throws -> [Source] {
    try sources(below: Repository.root.appendingPathComponent("Tests"), names)
  }

  /// The files in folders, by their paths from the repository's root.
  static func below(_ folders: String...) throws -> [Source] {
    try folders.flatMap { try sources(below: Repository.root.appendingPathComponent($0)) }
  }

  /// The test files in the folder of the file at `path`.
  static func beside(_ path: String) throws -> [Source] {
    try sources(below: URL(fileURLWithPath: path).deletingLastPathComponent())
  }

  private static func sources(below folder: URL, _ names: Set<String>? = nil) throws -> [Source] {
    try Repository.files(below: folder, ".swift").compactMap { file in
      let name = file.deletingPathExtension().lastPathComponent
      if let names, !names.contains(name) { return nil }
      let text = try String(contentsOf: file, encoding: .utf8)
      return Source(name: name, text: Repository.lines(of: text).joined(separator: "\n"))
    }
  }
}

/// An article of the catalog.
struct Article: CustomTestStringConvertible {
  let name: String
  let text: String

  var testDescription: String { name }

  static func all() throws -> [Article] {
    let catalog = Repository.root.appendingPathComponent("Sources/Compose/Compose.docc")
    return try Repository.files(below: catalog, ".md").map { file in
      Article(
        name: file.deletingPathExtension().lastPathComponent,
        text: try String(contentsOf: file, encoding: .utf8))
    }
  }

  /// The fenced blocks of code and output, without indentation.
  var blocks: [String] {
    text.matches(of: /```(?:swift|console)\n((?:.|\n)*?)\n```/)
      .map { Repository.lines(of: $0.1).joined(separator: "\n") }
  }

  /// The tests that `text` names as `` `SomeTests`: a sentence ``, up to the cell's end or a semicolon.
  static func namedTests(in text: some StringProtocol) -> [(suite: String, sentence: String)] {
    String(text).matches(of: /`(\w+Tests)`: ([^|;\n]+)/)
      .map { (String($0.1), $0.2.trimmingCharacters(in: .whitespaces)) }
  }

  /// The files that `text` names by the path from the repository's root.
  static func namedFiles(in text: some StringProtocol) -> [String] {
    String(text).matches(of: /`((?:Tests|Sources|Examples|Benchmarks|\.ci)\/[^`]+)`/)
      .map { String($0.1) }
  }

  var links: [String] { text.matches(of: /<doc:(\w+)>/).map { String($0.1) } }

  /// The rows of its tables, without the heads.
  var rows: [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { index in
      let next = index + 1 < lines.count ? lines[index + 1] : ""
      return lines[index].hasPrefix("| ") && !lines[index].hasPrefix("| ---")
        && !next.hasPrefix("| ---")
    }.map { lines[$0] }
  }
}
