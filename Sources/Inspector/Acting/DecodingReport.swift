/// A decoding error as a short sentence: `open.id: expected Int, found a string`.
struct DecodingReport {
  let text: String

  /// - Parameters:
  ///   - type: type that was decoded
  ///   - json: value that it was decoded from
  init(of error: any Error, type: Any.Type, json: AnyJSON) {
    var path: [any CodingKey] = []
    var reason: String
    switch error {
    case DecodingError.typeMismatch(let expected, let context):
      path = context.codingPath
      let found = json.value(at: path)
      reason =
        Self.wrongCase(of: expected, in: found)
        ?? "expected \(Self.name(of: expected)), found \(found.kind)"
      if path.isEmpty, case .string(let name) = found, EnumCases.names(of: type).contains(name) {
        reason += #"; a case is an object, also without values: {"\#(name)": {}}"#
      }
    case DecodingError.valueNotFound(let expected, let context):
      path = context.codingPath
      reason = "expected \(Self.name(of: expected)), found \(json.value(at: path).kind)"
    case DecodingError.keyNotFound(let key, let context):
      path = context.codingPath + [key]
      reason = "the value is missing"
    case DecodingError.dataCorrupted(let context):
      path = context.codingPath
      // The JSON is valid, since it was encoded a moment ago. Foundation has this text for a number
      // that its type cannot represent, and no path.
      reason =
        context.debugDescription == "The given data was not valid JSON."
        ? "a number does not fit into its type" : context.debugDescription
    default:
      reason = String(describing: error)
    }
    let names = EnumCases.names(of: type)
    if path.isEmpty, !names.isEmpty, !reason.contains(Self.listStart) {
      reason += Self.list(names)
    }
    text = Self.shortened(Self.prefix(of: path) + reason)
  }

  /// What is wrong with the object of an enum with associated values; nil when `type` is no enum.
  ///
  /// The error has no such detail: it is "Invalid number of keys found, expected one" for an unknown case.
  private static func wrongCase(of type: Any.Type, in found: AnyJSON?) -> String? {
    let names = EnumCases.names(of: type)
    guard !names.isEmpty, case .object(let members) = found else { return nil }
    let unknown = members.keys.filter { !names.contains($0) }.sorted()
    if let name = unknown.first {
      return "\(type) has no case \(shortened(name, limit: 100))" + list(names)
    }
    return "expected one case of \(type), found \(members.count)" + list(names)
  }

  private static let listStart = "; its cases are "

  private static func list(_ names: [String]) -> String {
    listStart + names.prefix(30).joined(separator: ", ") + (names.count > 30 ? ", …" : "")
  }

  private static func name(of type: Any.Type) -> String {
    if type is [String: Any].Type { return "an object" }
    if type is [Any].Type { return "a list" }
    return "\(type)"
  }

  /// The path with its colon: `open.rows[2].id: `; empty for the root.
  private static func prefix(of path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.position {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + shortened(key.stringValue, limit: 100)
      }
    }
    return text.isEmpty ? "" : text + ": "
  }

  /// The beginning of a text, which may come from the JSON with any length.
  private static func shortened(_ text: String, limit: Int = 1000) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}

extension CodingKey {
  /// The position in a list; nil for a name, also for one with digits only.
  fileprivate var position: Int? {
    Int(stringValue) == nil ? intValue : nil
  }
}

extension AnyJSON {
  /// The value inside this one; nil when there is none.
  fileprivate func value(at path: [any CodingKey]) -> AnyJSON? {
    var value = self
    for key in path {
      switch value {
      case .object(let members):
        guard let member = members[key.stringValue] else { return nil }
        value = member
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }
}

extension AnyJSON? {
  /// What the value is, with its article.
  fileprivate var kind: String {
    switch self {
    case nil: "nothing"
    case .null: "null"
    case .bool: "a Boolean"
    case .integer, .unsigned, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}
