/// The header fields of a request or an answer: in order, with names that ignore case.
///
///     let headers: HTTPHeaders = ["Authorization": "Bearer 1234", "Origin": "https://example.com"]
///     headers["authorization"]  // "Bearer 1234"
public struct HTTPHeaders: Hashable, Sendable {
  /// One line of the head.
  public struct Field: Hashable, Sendable {
    /// The name as it was written.
    public var name: String
    /// The value without the spaces around it.
    public var value: String

    /// A field of this name and value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in order.
  ///
  /// A name may occur more than once.
  public private(set) var fields: [Field]

  /// No fields, or these.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// The value of a field, nil when there is none.
  ///
  /// Setting it replaces all fields of the name.
  ///
  /// The values of several fields of the name are joined by commas (RFC 9110, section 5.3).
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

  /// Adds a field after the others, also if there is one of its name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The values of all fields of this name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// The elements of a field that is a list with commas, from all fields of the name.
  func elements(of name: String) -> [String] {
    values(of: name)
      .flatMap { $0.split(separator: ",") }
      .map { String($0.trimmingBlanks) }
      .filter { !$0.isEmpty }
  }

  /// Whether a list with commas has this element, in any case.
  func lists(_ element: String, in name: String) -> Bool {
    elements(of: name).contains { $0.equalsIgnoringCase(element) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// The fields in the order of the literal.
  ///
  /// A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0, value: $1) })
  }
}

extension HTTPHeaders.Field {
  /// Whether the field cannot break out of its line (RFC 9110, sections 5.1 and 5.5).
  ///
  /// A line break in a value would begin a header of somebody else's choice.
  var isWellFormed: Bool {
    name.isHTTPToken && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

extension String {
  /// Whether both are equal when A...Z and a...z are the same, as HTTP compares.
  func equalsIgnoringCase(_ other: String) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  /// Whether this is a token: a name of a header, a subprotocol (RFC 9110, section 5.6.2).
  var isHTTPToken: Bool {
    !isEmpty
      && unicodeScalars.allSatisfy {
        switch $0 {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "!#$%&'*+-.^_`|~".unicodeScalars.contains($0)
        }
      }
  }
}

extension Substring {
  /// Without the spaces and tabs around it.
  var trimmingBlanks: Substring {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
    let start = drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start }
    return start[...end]
  }
}
