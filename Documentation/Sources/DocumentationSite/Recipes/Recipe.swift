import Foundation

/// A problem with code that solves it, and a test that has run that code.
///
/// Each is a file of `Documentation/Tests/Recipes`, so that a page shows the text that the compiler and the test
/// have read:
///
/// ```swift
/// // Search as you type
/// //
/// // Problem: The results follow a text field, but not every key should send a request.
/// //
/// // Words: autocomplete, typeahead
/// //
/// // Why: ...
/// //
/// // Ends: ...
/// //
/// // See: debounce, Compose/ReturningEffects
///
/// import Compose
///
/// final class SearchField: Composer { ... }
///
/// @Test func `only the query that stays is searched`() { ... }
/// ```
package struct Recipe: Sendable {
  /// The parts of the comment below the title.
  package enum Part: String, CaseIterable, Sendable {
    /// One sentence, as a user would put it.
    case problem = "Problem"
    /// Other words that a user may search for.
    case words = "Words"
    /// Why the code is as it is.
    case why = "Why"
    /// What ends, fails and cancels it.
    case ends = "Ends"
    /// The names of operators, and of symbols and articles with their modules.
    case see = "See"
  }

  package let topic: RecipeTopic
  package let title: String
  /// The place of the file below the repository's root.
  package let path: String
  /// The code that solves the problem, with its imports.
  package let code: String
  /// The tests of the code, with their imports.
  package let test: String
  private let parts: [Part: String]

  /// Reads a recipe.
  ///
  /// - Throws: ``RecipeError`` when the text lacks a part.
  package init(_ text: String, topic: RecipeTopic, path: String) throws {
    self.topic = topic
    self.path = path
    let lines = text.components(separatedBy: "\n")
    let comment = lines.prefix { $0.hasPrefix("//") }.map { $0.dropFirst(2).drop { $0 == " " } }
    let paragraphs = comment.split(separator: "").map { $0.joined(separator: " ") }
    guard let title = paragraphs.first, !title.contains(":") else {
      throw RecipeError(path, lacks: "title")
    }
    self.title = title
    var parts: [Part: String] = [:]
    for part in Part.allCases {
      let text = paragraphs.first { $0.hasPrefix("\(part.rawValue): ") }
      guard let text else { throw RecipeError(path, lacks: part.rawValue) }
      parts[part] = String(text.dropFirst(part.rawValue.count + 2))
    }
    self.parts = parts
    guard let lastImport = lines.lastIndex(where: { $0.hasPrefix("import ") }) else {
      throw RecipeError(path, lacks: "imports")
    }
    let body = lines[(lastImport + 1)...]
    guard let firstTest = body.firstIndex(where: { $0.contains("@Test") }) else {
      throw RecipeError(path, lacks: "test")
    }
    let solution = Self.trimmed(body[..<firstTest])
    if solution.isEmpty { throw RecipeError(path, lacks: "code") }
    let imports = lines.filter { $0.hasPrefix("import ") }
    let isForTests = { (line: String) in line.hasSuffix("Testing") }
    code = (imports.filter { !isForTests($0) } + ["", solution]).joined(separator: "\n")
    test = (imports.filter(isForTests) + ["", Self.trimmed(body[firstTest...])])
      .joined(separator: "\n")
  }

  /// The text of a part.
  package subscript(part: Part) -> String { parts[part] ?? "" }

  /// The words that a user may search for.
  package var words: [String] { self[.words].components(separatedBy: ", ") }

  /// The operators, symbols and articles that the recipe refers to.
  package var related: [String] { self[.see].components(separatedBy: ", ") }

  /// The name of the page's file, without its extension.
  package var slug: String {
    title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }

  private static func trimmed(_ lines: ArraySlice<String>) -> String {
    lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
  }
}

extension Recipe {
  /// All recipes by topic, and within a topic by title.
  package static func all() throws -> [Recipe] {
    try RecipeTopic.allCases.flatMap { topic in
      let folder = "Documentation/Tests/Recipes/\(topic.rawValue)"
      let files = try FileManager.default.contentsOfDirectory(
        at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil)
      let recipes = try files.map { file in
        try Recipe(
          String(contentsOf: file, encoding: .utf8), topic: topic,
          path: "\(folder)/\(file.lastPathComponent)")
      }
      return recipes.sorted { $0.title < $1.title }
    }
  }
}

/// A recipe that lacks a part, or refers to a page that does not exist: add the part, or correct the name.
package struct RecipeError: Error, Equatable, CustomStringConvertible {
  package let path: String
  package let problem: String
  package var description: String { "\(path): \(problem)" }

  package init(_ path: String, lacks part: String) {
    self.init(path, "The recipe has no \(part).")
  }

  init(_ path: String, _ problem: String) {
    self.path = path
    self.problem = problem
  }
}
