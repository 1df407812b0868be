/// A value of JSON that is written as text.
enum JSONTree: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  /// The text on several lines, with sorted keys.
  var text: String {
    var text = ""
    write(to: &text, line: "\n")
    return text
  }

  /// The text on one line, with sorted keys.
  var line: String {
    var text = ""
    write(to: &text, line: nil)
    return text
  }

  /// - Parameter line: beginning of a line on this level; nil for a text on one line
  private func write(to text: inout String, line: String?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += "\(value)"
    case .number(let number): text += number
    case .string(let string): text.append(jsonString: string)
    case .array(let elements):
      Self.write(elements, between: ("[", "]"), to: &text, line: line) {
        $1.write(to: &$0, line: $2)
      }
    case .object(let values):
      let sorted = values.sorted { $0.key < $1.key }
      Self.write(sorted, between: ("{", "}"), to: &text, line: line) {
        $0.append(jsonString: $1.key)
        $0 += $2 == nil ? ":" : ": "
        $1.value.write(to: &$0, line: $2)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between brackets: (String, String), to text: inout String, line: String?,
    _ write: (inout String, Element, _ line: String?) -> Void
  ) {
    text += brackets.0
    for (index, element) in elements.enumerated() {
      text += index > 0 ? "," : ""
      if let line { text += line + "  " }
      write(&text, element, line.map { $0 + "  " })
    }
    text += (elements.isEmpty ? "" : line ?? "") + brackets.1
  }
}

extension JSONTree {
  /// The value at these names; nil for none.
  subscript(path: [String]) -> JSONTree? {
    get {
      guard let name = path.first else { return self }
      guard case .object(let values) = self else { return nil }
      return values[name].flatMap { $0[Array(path.dropFirst())] }
    }
    set {
      guard let name = path.first, case .object(var values) = self else { return }
      if path.count == 1 {
        values[name] = newValue
      } else {
        values[name]?[Array(path.dropFirst())] = newValue
      }
      self = .object(values)
    }
  }

  static let redacted = JSONTree.string(InspectorRedaction.mark)
}
