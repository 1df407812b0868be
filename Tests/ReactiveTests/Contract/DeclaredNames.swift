import Foundation

/// A public function or property that makes or changes observables, as the sources declare it.
struct DeclaredName: Hashable {
  /// `map(_:)`, `Observable.merge(_:)`, `Single.flatMap(_:)`.
  var name: String
  /// Whether it takes a closure that may throw.
  var takesThrowingClosure: Bool

  /// The declarations in folders of `Sources/Reactive`, one for each overload.
  static func inSources(_ folders: String...) throws -> [DeclaredName] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return try folders.flatMap { folder in
      let folder = root.appendingPathComponent("Sources/Reactive/\(folder)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      let sources = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      return try sources.flatMap {
        Declarations(of: try String(contentsOf: $0, encoding: .utf8)).names
      }
    }
  }
}

/// Reads the public declarations of one source file: those directly in the body of a type or an
/// extension, by counting braces.
private struct Declarations {
  private(set) var names: [DeclaredName] = []

  init(of text: String) {
    let code = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex) }
      .joined(separator: "\n")
    var depth = 0
    var statement = ""
    var parentheses = 0
    var prefix: String?
    for character in code {
      switch character {
      case "{":
        if depth == 0 { prefix = Self.prefix(ofHeader: statement) }
        // In parentheses it begins a default argument.
        if depth == 1, parentheses == 0, let prefix { read(statement, prefix) }
        if parentheses == 0 { statement = "" } else { statement.append(character) }
        depth += 1
      case "}":
        depth -= 1
        if parentheses == 0 { statement = "" } else { statement.append(character) }
      default:
        if depth == 1 || depth == 0 {
          if character == "(" { parentheses += 1 }
          if character == ")" { parentheses -= 1 }
        }
        if depth <= 1 { statement.append(character) }
      }
    }
  }

  private mutating func read(_ statement: String, _ prefix: String) {
    // Declarations before the last one of the statement have no body, like a type alias.
    guard let start = statement.range(of: "public ", options: .backwards) else { return }
    let declaration = statement[start.upperBound...].replacing("`", with: "")
    let pattern = /^((?:(?:static|final|class|override|mutating)\s+)*)(func|var)\s+(\w+)/
    guard let match = declaration.firstMatch(of: pattern) else { return }
    let owner = prefix == "Observable." && !match.1.contains("static") ? "" : prefix
    if match.2 == "var" {
      names.append(DeclaredName(name: "\(owner)\(match.3)", takesThrowingClosure: false))
      return
    }
    let parameters = Self.parameters(of: declaration[match.range.upperBound...])
    let labels = parameters.map { $0.prefix { $0 != ":" && $0 != " " } + ":" }.joined()
    names.append(
      DeclaredName(
        name: "\(owner)\(match.3)(\(labels))",
        takesThrowingClosure: parameters.contains { $0.contains(/throws(?:\(\w+\))?\s+->/) }
      )
    )
  }

  /// The source text of each parameter between the first parentheses of `text`.
  private static func parameters(of text: Substring) -> [Substring] {
    guard let open = text.firstIndex(of: "(") else { return [] }
    var (depth, angles) = (0, 0)
    var parameters: [Substring] = []
    var start = text.index(after: open)
    var before: Character = " "
    for index in text.indices[open...] {
      let character = text[index]
      defer { before = character }
      switch character {
      case "(", "[": depth += 1
      case "<": angles += 1
      case ">" where before != "-": angles -= 1
      case "]": depth -= 1
      case ",":
        guard depth == 1, angles == 0 else { break }
        parameters.append(text[start..<index])
        start = text.index(after: index)
      case ")":
        depth -= 1
        guard depth == 0 else { break }
        parameters.append(text[start..<index])
        return parameters.map { $0.drop { $0.isWhitespace } }.filter { !$0.isEmpty }
      default: break
      }
    }
    return []
  }

  /// The prefix of names in a body that begins with `header`; nil for types without
  /// operators.
  private static func prefix(ofHeader header: String) -> String? {
    guard
      let match = header.firstMatch(of: /\b(?:extension|class|struct|protocol)\s+(\w+)/)
    else { return nil }
    if let trait = header.firstMatch(of: /Trait\s*==\s*(\w+)Trait/) { return "\(trait.1)." }
    let strategy = /\bSharingStrategy\s*==\s*(?!SharingStrategy)(\w+?)(?:Sharing)?Strategy\b/
    if let strategy = header.firstMatch(of: strategy) {
      return "\(strategy.1)."
    }
    switch String(match.1) {
    case "ObservableType", "ObservableConvertibleType", "CombinableType", "Observable":
      return "Observable."
    case "PrimitiveSequence", "PrimitiveSequenceType": return "PrimitiveSequence."
    case "SharedSequence", "SharedSequenceConvertibleType": return "SharedSequence."
    case "Infallible", "InfallibleType": return "Infallible."
    case "ConnectableObservable", "ConnectableObservableType": return "ConnectableObservable."
    case "RelayType", "AsyncSequence", "Collection", "Sequence": return "\(match.1)."
    default: return nil
    }
  }
}
