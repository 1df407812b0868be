import Foundation
import Reactive
import TestSupport
import Testing

/// The names that the guide's table lists, called with their labels on each of their kinds.
@Suite(.workerPool) struct RxSwiftNamesTests {
  let observable: Observable<Int> = .never()
  let observableOfObservables: Observable<Observable<Int>> = .never()
  let observableOfEvents: Observable<Event<Int>> = .never()
  let observableOfData: Observable<Data> = .never()
  let observableOfNothing: Observable<Never> = .never()
  let infallible: Infallible<Int> = .never()
  let infallibleOfInfallibles: Infallible<Infallible<Int>> = .never()
  let driver: Driver<Int> = .never()
  let driverOfDrivers: Driver<Driver<Int>> = .never()
  let signal: Signal<Int> = .never()
  let signalOfSignals: Signal<Signal<Int>> = .never()
  let single: Single<Int> = .just(1)
  let maybe: Maybe<Int> = .empty()
  let completable: Completable = .empty()
  let scheduler = HistoricalScheduler()
  let token = Token()

  @Test func `every name in RxSwiftNames.md is called on each of its kinds`() throws {
    let rows = try NameRow.inGuide()
    let mentioned = try Mention.beside(#filePath)
    #expect(rows.count > 200)
    for row in rows {
      for mention in row.mentions where !mentioned.contains(mention) {
        Issue.record("\(mention) is in the table and is not called")
      }
    }
  }

  @Test func `every function called in RxSwiftNames tests is listed in RxSwiftNames.md`() throws {
    let listed = Set(try NameRow.inGuide().flatMap(\.mentions))
    for mention in try Mention.beside(#filePath) where mention.name.hasSuffix(")") {
      guard mention.kind != nil, !listed.contains(mention) else { continue }
      Issue.record("\(mention) is called and is not in the table")
    }
  }
}

/// A name, as `map(_:)`, and the letter of the kind that it is called on, or nil for any.
private struct Mention: Hashable, CustomStringConvertible {
  var kind: String?
  var name: String

  var description: String { (kind ?? "any") + " " + name }

  private static let kinds = [
    "observable": "O", "infallible": "I", "driver": "D", "signal": "G", "single": "S",
    "maybe": "M", "completable": "C",
  ]

  /// All names in the files `RxSwiftNames+...` in the folder of the file at `path`.
  static func beside(_ path: String) throws -> Set<Mention> {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let texts = try files.filter { $0.lastPathComponent.hasPrefix("RxSwiftNames+") }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    return texts.reduce(into: []) { $0.formUnion(mentions(in: $1)) }
  }

  private static func mentions(in text: String) -> Set<Mention> {
    let name = /(?:(\w+)(?:<[\w<>, ?]*>)?\.)?(\w+)(?:<[\w<>, ?]*>)?(\()?/
    let words = Set(text.matches(of: /\w+/).map { Mention(kind: nil, name: String($0.0)) })
    return text.matches(of: name).reduce(into: words) { result, match in
      let called = match.2 + (match.3.map { labels(in: text[$0.startIndex...]) } ?? "")
      result.insert(Mention(kind: nil, name: String(called)))
      // `observable`, `Observable<Int>`, `observableOfObservables`.
      let receiver = match.1?.lowercased().split(separator: "of").first.map(String.init)
      if let receiver, let kind = kinds[receiver] {
        result.insert(Mention(kind: kind, name: String(called)))
      }
    }
  }

  /// The labels of the arguments that `text` begins with, `(_:on:)`; several `_:` in a row are one.
  private static func labels(in text: Substring) -> String {
    var depth = 0
    var arguments = [""]
    for character in text {
      if ")]}".contains(character) { depth -= 1 }
      if depth == 0, character == ")" { break }
      if depth == 1, character == "," { arguments.append("") }
      if depth >= 1, character != "," { arguments[arguments.count - 1].append(character) }
      if "([{".contains(character) { depth += 1 }
    }
    let labels = arguments.filter { !$0.allSatisfy(\.isWhitespace) }.map { argument in
      argument.prefixMatch(of: /\s*(\w+:)/).map { String($0.1) } ?? "_:"
    }
    return "(" + labels.joined().replacing(/(_:)+/, with: "_:") + ")"
  }
}

/// A row of a table in the guide.
private struct NameRow {
  /// The calls that the row requires.
  var mentions: [Mention]

  /// The rows of all tables in the guide.
  static func inGuide() throws -> [NameRow] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let guide = root.appendingPathComponent("Sources/Reactive/Reactive.docc/RxSwiftNames.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    var isOld = false
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("## ") { isOld = line == "## Deprecated names" }
      return line.hasPrefix("| `") ? NameRow(line: line, isOld: isOld) : nil
    }
  }

  /// Reads `| name | kinds |` or `| type | members |`; where it is old, `| old name | new name |`.
  private init(line: Substring, isOld: Bool) {
    let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
    let first = Self.names(in: cells[0])[0]
    if cells[1].contains("not here") {
      mentions = []
    } else if let kinds = cells[1].wholeMatch(of: /([OIDGSMC] )+/) {
      mentions = kinds.0.split(separator: " ").map { Mention(kind: String($0), name: first) }
    } else {
      let members = Self.names(in: cells[1]).map { $0.replacing(/^init\(/, with: "\(first)(") }
      mentions = (isOld ? members : [first] + members).map { Mention(kind: nil, name: $0) }
    }
  }

  private static func names(in cell: Substring) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }
}
