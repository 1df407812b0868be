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

  /// This tree, in which the values are hidden that a hidden name beside them hides.
  ///
  /// A dictionary whose keys are no strings is encoded as an array of keys and values in turn.
  ///
  /// - Parameter path: names of the values around it
  func hidingPairs(_ redaction: InspectorRedaction, _ path: [String]) -> JSONTree {
    switch self {
    case .object(var values):
      let isHidden = ["name", "key"].contains { name in
        values[name]?.pairName.map { redaction.hides($0, at: path) } ?? false
      }
      if isHidden, values["value"] != nil { values["value"] = .redacted }
      return .object(values)
    case .array(var elements) where elements.count.isMultiple(of: 2):
      for index in stride(from: 0, to: elements.count, by: 2) {
        if let name = elements[index].pairName, redaction.hides(name, at: path) {
          elements[index + 1] = .redacted
        }
      }
      return .array(elements)
    default: return self
    }
  }

  static let redacted = JSONTree.string(InspectorRedaction.mark)

  /// The text of a key: a string, the name of an enum's case, or the only property of a struct.
  private var pairName: String? {
    switch self {
    case .string(let text): return text
    case .object(let values) where values.count == 1:
      guard let (key, value) = values.first else { return nil }
      if case .string(let text) = value, text != InspectorRedaction.mark { return text }
      return key
    default: return nil
    }
  }
}
