/// The header fields of a request or an answer: ordered, with case-insensitive names.
///
///     let headers: HTTPHeaders = ["Authorization": "Bearer 1234", "Origin": "https://example.com"]
///     headers["authorization"]  // "Bearer 1234"
public struct HTTPHeaders: Hashable, Codable, Sendable {
  /// One line of the head.
  public struct Field: Hashable, Codable, Sendable {
    /// The name as it was written.
    public var name: String
    /// The value without the spaces around it.
    public var value: String

    /// Makes a field of a name and a value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The most elements of a peer's list where each element is processed.
  static let listLimit = 100

  /// The fields in order.
  ///
  /// A name may occur more than once.
  public private(set) var fields: [Field]

  /// Makes headers of these fields; none by default.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// The value of a field; nil without one.
  ///
  /// Several fields of the name are joined by commas (RFC 9110, section 5.3). Setting a value
  /// replaces all of them.
  public subscript(name: String) -> String? {
    get {
      let values = values(of: name)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    set {
      fields.removeAll { $0.name.equalsIgnoringCase(name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// Appends a field, even if the name is present already.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The values of all fields of this name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// The elements of a comma-separated list, from all fields of the name.
  ///
  /// Returns nil if there are more than `limit`.
  func elements(of name: String, limit: Int = .max) -> [String]? {
    var elements: [String] = []
    for value in values(of: name) {
      for element in ListElements(value) {
        guard elements.count < limit else { return nil }
        elements.append(String(decoding: element, as: UTF8.self))
      }
    }
    return elements
  }

  /// Whether a comma-separated list contains this element, ignoring case.
  ///
  /// Makes no strings of the elements, because a peer may send thousands.
  func lists(_ element: String, in name: String) -> Bool {
    let length = element.utf8.count
    return fields.contains { field in
      field.name.equalsIgnoringCase(name)
        && ListElements(field.value, leastLength: length)
          .contains { $0.equalsIgnoringCase(element.utf8) }
    }
  }
}

/// The elements of one comma-separated value, trimmed, without empty ones (RFC 9110, 5.6.1).
private struct ListElements: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private let leastLength: Int

  /// - Parameter leastLength: shorter elements are skipped, in bytes
  init(_ value: String, leastLength: Int = 1) {
    rest = Array(value.utf8)[...]
    self.leastLength = Swift.max(leastLength, 1)
  }

  mutating func next() -> ArraySlice<UInt8>? {
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
      let element = rest[..<end]
      rest = rest[end...].dropFirst()
      guard element.count >= leastLength else { continue }
      let trimmed = element.trimmingBlanks
      if trimmed.count >= leastLength { return trimmed }
    }
    return nil
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers of a literal, in its order.
  ///
  /// A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0, value: $1) })
  }
}

extension HTTPHeaders.Field {
  /// Whether the field stays within its line (RFC 9110, sections 5.1 and 5.5).
  ///
  /// A line break in a value would let an attacker add a header.
  var isWellFormed: Bool { name.isHTTPToken && value.utf8.isHTTPFieldValue }
}

// HTTP defines its texts by bytes: a comma is one even if a combining mark follows it.

extension String {
  /// Whether both are equal when the case of ASCII letters is ignored, as HTTP compares.
  func equalsIgnoringCase(_ other: String) -> Bool { utf8.equalsIgnoringCase(other.utf8) }

  /// Whether this is a token, as the name of a header or a subprotocol (RFC 9110, section 5.6.2).
  var isHTTPToken: Bool { utf8.isHTTPToken }
}

extension Collection<UInt8> {
  /// Whether both are equal when the case of ASCII letters is ignored.
  func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return count == other.count && elementsEqual(other) { lowercased($0) == lowercased($1) }
  }

  /// Whether these are the bytes of a token.
  var isHTTPToken: Bool { !isEmpty && allSatisfy(\.isOfHTTPToken) }

  /// Whether these are decimal digits; also true of no bytes.
  var isDecimal: Bool { allSatisfy { (0x30...0x39).contains($0) } }

  /// Whether these bytes may be a field's value: no control characters except tabs.
  var isHTTPFieldValue: Bool { allSatisfy(\.isOfHTTPFieldValue) }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
  /// The bytes without leading and trailing spaces and tabs.
  var trimmingBlanks: Self {
    let start = drop(while: \.isBlank)
    guard let end = start.lastIndex(where: { !$0.isBlank }) else { return start }
    return start[...end]
  }
}

extension UInt8 {
  /// Whether this is a space or a tab.
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// Whether the byte may be in a token (RFC 9110, section 5.6.2).
  var isOfHTTPToken: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9": true
    case "!", "#"..."'", "*", "+", "-", ".", "^"..."`", "|", "~": true
    default: false
    }
  }

  /// Whether the byte may be in a field's value (RFC 9110, section 5.5).
  var isOfHTTPFieldValue: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }
}
