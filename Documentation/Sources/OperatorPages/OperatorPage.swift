import Reactive
import ReactiveTesting

/// The page of an operator: its diagram, its rules and an example.
package struct OperatorPage: Sendable {
  /// The name, with the labels that distinguish it: "take(until:)".
  package let name: String
  /// The symbols that the page describes, without their type: "debounce(_:scheduler:)".
  package let symbols: [String]
  /// One sentence.
  package let summary: String
  /// When the result completes.
  package let ends: Rule
  /// When the result fails.
  package let fails: Rule
  /// The thread that delivers.
  package let threads: Rule
  /// What a subscription holds.
  package let memory: Rule
  /// The names of pages that a reader may look for instead.
  package let related: [String]
  /// Other words that a reader may search for, as the names in other libraries.
  package let words: [String]
  package let diagram: Diagram
  package let example: Example

  /// A page, in whose texts backticks mark code.
  ///
  /// - Parameters:
  ///   - file: file that contains the example; that of the call by default.
  ///   - line: line of the call, after which the example follows.
  ///   - example: code that the page shows, and tests run.
  package init(
    _ name: String, _ symbols: [String], _ summary: String, ends: Rule, fails: Rule,
    threads: Rule, memory: Rule, related: [String] = [], words: [String] = [],
    diagram: Diagram, file: StaticString = #filePath, line: UInt = #line,
    example: @escaping Example.Body
  ) {
    self.name = name
    self.symbols = symbols
    self.summary = summary
    self.ends = ends
    self.fails = fails
    self.threads = threads
    self.memory = memory
    self.related = related
    self.words = words
    self.diagram = diagram
    self.example = Example(file: "\(file)", line: Int(line), body: example)
  }

  /// The name of the page's file, without its extension: "merge-0" for "merge()".
  package var slug: String {
    let distinct = name.replacing("()", with: "(0)").replacing("_", with: "1")
    return distinct.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }

  /// All pages, in the order of the site.
  package static let all = OperatorGroup.allCases.flatMap(\.pages)
}
