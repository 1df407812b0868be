extension ValueReader {
  /// The JSON of a value, on several lines with sorted keys: as `JSONEncoder` encodes it if it is
  /// `Encodable`, otherwise its structure as reflection has it.
  ///
  /// Strings of more than 1 MiB are cut, with a note. A value that is empty is not hidden.
  ///
  /// - Throws: ``ValueError`` for a value of more than 100 levels or 8 MiB of JSON; the error of the value's
  ///   `encode(to:)`.
  func json(of value: Any) throws -> String {
    let text = try tree(of: value).text
    if text.utf8.count > JSONTreeEncoder.byteLimit {
      throw ValueError.tooLarge(limit: JSONTreeEncoder.byteLimit)
    }
    return text
  }

  /// The JSON of a part of a value, on one line, with hidden values replaced.
  ///
  /// - Throws: as the other one, and for a part that the JSON does not have, or not at this path.
  func json(of value: Any, at path: [String]) throws -> String {
    guard let node = node(of: value, at: path) else { throw ValueError.noPart(path) }
    // The elements of a set have another order in each JSON.
    for count in path.indices {
      // Only the type is of interest, not the elements.
      if case .list(let type, _, _) = self.node(
        of: value, at: Array(path.prefix(count)), count: 0),
        type.hasPrefix("Set<")
      {
        throw ValueError.elementOfSet(path)
      }
    }
    if let part = try tree(of: value).value(at: path) { return part.line }
    // A property that is nil is left out of the JSON.
    guard case .null = node else { throw ValueError.noJSON(path) }
    return "null"
  }

  private func tree(of value: Any) throws -> JSONTree {
    if let value = value as? any Encodable { return try JSONTreeEncoder.tree(of: value, redaction) }
    var reader = self
    reader.limits = .json
    return try reader.node(of: value)?.json() ?? .null
  }
}

extension ValueNode {
  /// The JSON of the structure.
  ///
  /// - Throws: ``ValueError`` when parts are left out because of their depth or number.
  fileprivate func json() throws -> JSONTree {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let text): return Self.isJSON(number: text) ? .number(text) : .string(text)
    case .string(let text), .value(let text, _): return .string(text.noted)
    case .object(_, let children), .dictionary(_, let children, nil):
      return try Self.object(children)
    case .list(_, let children, nil): return .array(try children.map { try $0.value.json() })
    case .enumCase(let name, _, let children):
      return children.isEmpty ? .string(name) : .object([name: try Self.object(children)])
    case .redacted: return .redacted
    case .cut(.cycle, let type): return .string("\(type) that contains this value")
    case .cut(.depth, _): throw ValueError.tooDeep(limit: ValueLimits.json.depth)
    case .cut(.size, _), .list, .dictionary:
      throw ValueError.tooLarge(limit: JSONTreeEncoder.byteLimit)
    }
  }

  /// Whether JSON has this number, unlike `nan` and those of types that write them in their own way.
  private static func isJSON(number text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    let isDigit = { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return digits.first.map(isDigit) == true && text.utf8.count - digits.count < 2
      && digits.allSatisfy { isDigit($0) || "+-.e".utf8.contains($0) }
  }

  private static func object(_ children: [Child]) throws -> JSONTree {
    var values: [String: JSONTree] = [:]
    for child in children { values[child.name] = try child.value.json() }
    return .object(values)
  }
}
