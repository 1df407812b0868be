extension InspectorRedaction {
  /// The text without the values of hidden names in the JSON of it, which may be in the middle or cut off.
  ///
  /// It is not parsed: what is malformed, cut off or nested deeply hides nothing from it.
  func hidingValues(inJSON text: String) -> String { hidingValues(inJSON: text, level: 0) }

  /// - Parameter level: the number of texts around this one, of whose strings it is the value.
  fileprivate func hidingValues(inJSON text: String, level: Int) -> String {
    guard let start = text.utf8.firstIndex(where: isOpening) else { return text }
    var scanner = JSONTextScanner(String(text[start...]), level)
    return scanner.hidingValues(of: self).map { text[..<start] + $0 } ?? text
  }

  /// The same for the beginning of a text.
  func hidingValues(inJSON text: CutText) -> CutText {
    text.replacing { hidingValues(inJSON: $0) }
  }
}

/// Finds the values of names in a text of JSON.
private struct JSONTextScanner {
  private let bytes: [UInt8]
  private let level: Int
  /// The names of the values around the current place, without those of elements of arrays.
  private var path: [String] = []
  /// Whether each value around the current place has a name.
  private var areNamed: [Bool] = []

  /// The most names around a value, and the most texts around a text.
  ///
  /// A peer may nest deeper: names are hidden there too, but without those around them.
  private static let deepest = (names: 100, texts: 4)

  init(_ text: String, _ level: Int) { (bytes, self.level) = (Array(text.utf8), level) }

  /// The text with hidden values replaced; nil when none is hidden.
  mutating func hidingValues(of redaction: InspectorRedaction) -> String? {
    var output: [UInt8] = []
    var copied = 0
    var name = ""
    var next = 0
    while next < bytes.count {
      switch bytes[next] {
      case UInt8(ascii: "\""):
        let end = endOfString(from: next)
        let colon = endOfWhitespace(from: end)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
          if let text = hidingValues(inString: next..<end, of: redaction) {
            output += bytes[copied..<next]
            output += text.utf8
            copied = end
          }
          next = end
          continue
        }
        name = unescaped(next + 1..<end - 1)
        next = endOfWhitespace(from: colon + 1)
        guard redaction.hides(name, at: path), next < bytes.count else {
          continue
        }
        output += bytes[copied..<next]
        output += Array("\"\(InspectorRedaction.mark)\"".utf8)
        next = endOfValue(from: next)
        copied = next
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isNamed = !name.isEmpty && path.count < Self.deepest.names
        if isNamed { path.append(name) }
        areNamed.append(isNamed)
        name = ""
        next += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if areNamed.popLast() == true { path.removeLast() }
        name = ""
        next += 1
      default: next += 1
      }
    }
    if copied == 0 { return nil }
    return String(decoding: output + bytes[copied...], as: UTF8.self)
  }

  /// The string at a place with hidden values of the JSON in it replaced; nil when none is hidden.
  ///
  /// ActionCable's identifiers are such strings.
  private func hidingValues(
    inString range: Range<Int>, of redaction: InspectorRedaction
  ) -> String? {
    let isEnded = range.count > 1 && bytes[range.upperBound - 1] == UInt8(ascii: "\"")
    let content = range.lowerBound + 1..<range.upperBound - (isEnded ? 1 : 0)
    guard level < Self.deepest.texts, bytes[content].contains(where: isOpening) else { return nil }
    let text = unescaped(content)
    let shown = redaction.hidingValues(inJSON: text, level: level + 1)
    if shown == text { return nil }
    var string = ""
    string.append(jsonString: shown)
    return isEnded ? string : String(string.dropLast())
  }

  /// The place after the string that begins here.
  private func endOfString(from start: Int) -> Int {
    var next = start + 1
    while next < bytes.count {
      if bytes[next] == UInt8(ascii: "\"") { return next + 1 }
      next += bytes[next] == UInt8(ascii: "\\") ? 2 : 1
    }
    return bytes.count
  }

  private func endOfWhitespace(from start: Int) -> Int {
    bytes[start...].firstIndex { !isWhitespace($0) } ?? bytes.count
  }

  /// The place after the value that begins here.
  private func endOfValue(from start: Int) -> Int {
    var level = 0
    var next = start
    while next < bytes.count {
      switch bytes[next] {
      case UInt8(ascii: "\""):
        next = endOfString(from: next)
        if level == 0 { return next }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        level += 1
        next += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if level == 0 { return next }
        level -= 1
        next += 1
        if level == 0 { return next }
      case UInt8(ascii: ",") where level == 0: return next
      default: next += 1
      }
    }
    return bytes.count
  }

  /// The characters of a string, without escapes.
  private func unescaped(_ range: Range<Int>) -> String {
    let name = bytes[range]
    guard name.contains(UInt8(ascii: "\\")) else { return String(decoding: name, as: UTF8.self) }
    var units: [UInt16] = []
    var rest = String(decoding: name, as: UTF8.self).utf16[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5C, let escaped = rest.popFirst() else {
        units.append(unit)
        continue
      }
      let digits = rest.prefix(4)
      switch escaped {
      case 0x75:
        units.append(UInt16(String(decoding: digits, as: UTF16.self), radix: 16) ?? escaped)
        rest = rest.dropFirst(4)
      case 0x62: units.append(0x08)
      case 0x66: units.append(0x0C)
      case 0x6E: units.append(0x0A)
      case 0x72: units.append(0x0D)
      case 0x74: units.append(0x09)
      default: units.append(escaped)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}

private func isWhitespace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

private func isOpening(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
}

extension JSONParts {
  /// This value, in which those are hidden that a hidden name beside them hides:
  /// `{"name": "token", "value": 7}`, `["token", 7]`; not those inside its parts.
  ///
  /// A dictionary whose keys are no strings is encoded as an array of keys and values in turn.
  ///
  /// - Parameter path: names of the values around it.
  func hidingPairs(_ redaction: InspectorRedaction, _ path: [String]) -> Self {
    func hides(_ name: Self?) -> Bool {
      name?.pairName.map { redaction.hides($0, at: path) } ?? false
    }
    if var members {
      let isHidden = hides(members["name"]) || hides(members["key"])
      if isHidden, members["value"] != nil { members["value"] = .string(InspectorRedaction.mark) }
      return .object(members)
    }
    guard var elements, elements.count.isMultiple(of: 2) else { return self }
    for index in stride(from: 0, to: elements.count, by: 2) where hides(elements[index]) {
      elements[index + 1] = .string(InspectorRedaction.mark)
    }
    return .array(elements)
  }

  /// The text of a key: a string, the name of an enum's case, or the only property of a struct.
  private var pairName: String? {
    if let string { return string }
    guard let members, members.count == 1, let (key, value) = members.first else { return nil }
    if let text = value.string, text != InspectorRedaction.mark { return text }
    return key
  }
}

extension AnyJSON {
  /// This value, in which those are hidden that a hidden name beside them hides, also inside its parts.
  ///
  /// - Parameter path: names of the values around it.
  func hidingAllPairs(_ redaction: InspectorRedaction, at path: [String] = []) -> AnyJSON {
    let parts: AnyJSON =
      switch self {
      case .object(let members):
        .object(
          Dictionary(
            uniqueKeysWithValues: members.map { name, value in
              (name, value.hidingAllPairs(redaction, at: path + [name]))
            }))
      case .array(let elements):
        .array(elements.map { $0.hidingAllPairs(redaction, at: path) })
      default: self
      }
    return parts.hidingPairs(redaction, path)
  }
}
