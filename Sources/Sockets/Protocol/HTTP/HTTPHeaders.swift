/// The header fields of a request or an answer: ordered, with case-insensitive names.
///
///     let headers: HTTPHeaders = ["Authorization": "Bearer 1234", "Origin": "https://example.com"]
///     headers["authorization"]  // "Bearer 1234"
public struct HTTPHeaders: Sendable {
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

  /// Where a field is in `bytes`.
  struct Place: Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  /// The most elements of a peer's list where each element is processed.
  static let listLimit = 100

  /// The names and values in UTF-8, with other bytes between them: those of a received head stay as
  /// they have arrived, so that only the few that are read become strings.
  private final class Storage: @unchecked Sendable {
    // Changed only while one reference to it exists.
    var bytes: [UInt8]
    var places: [Place]

    init(_ bytes: [UInt8], _ places: [Place]) { (self.bytes, self.places) = (bytes, places) }

    static let empty = Storage([], [])
  }

  private var storage = Storage.empty

  /// The names and values, with other bytes between them.
  var bytes: [UInt8] { storage.bytes }

  fileprivate var places: [Place] { storage.places }

  /// Makes headers of these fields; none by default.
  public init(_ fields: [Field] = []) {
    for field in fields { add(field.name, field.value) }
  }

  /// Makes headers of fields that lie in `bytes`, which are UTF-8 there.
  init(in bytes: [UInt8], at places: [Place]) {
    storage = Storage(bytes, places)
  }

  /// The fields in order.
  ///
  /// A name may occur more than once.
  public var fields: [Field] {
    places.map { Field(name: text($0.name), value: text($0.value)) }
  }

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
      self = HTTPHeaders(fields.filter { !$0.name.equalsIgnoringCase(name) })
      if let newValue { add(name, newValue) }
    }
  }

  /// Appends a field, even if the name is present already.
  public mutating func add(_ name: String, _ value: String) {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(bytes, places) }
    let start = bytes.count
    storage.bytes += name.utf8
    let middle = bytes.count
    storage.bytes += value.utf8
    storage.places.append(Place(name: start..<middle, value: middle..<bytes.count))
  }

  /// The fields of both, ours first.
  func adding(_ others: HTTPHeaders) -> HTTPHeaders {
    if others.isEmpty { return self }
    var all = self
    for field in others.fields { all.add(field.name, field.value) }
    return all
  }

  /// The values of all fields of this name, in order.
  public func values(of name: String) -> [String] {
    bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

// MARK: - Without strings

extension HTTPHeaders {
  /// The values of the fields of one name, in order.
  struct Values: Sequence, IteratorProtocol {
    fileprivate let headers: HTTPHeaders
    fileprivate let name: String
    fileprivate var index = 0

    mutating func next() -> ArraySlice<UInt8>? {
      while index < headers.places.count {
        let place = headers.places[index]
        index += 1
        if headers.bytes[place.name].equalsIgnoringCase(name.utf8) {
          return headers.bytes[place.value]
        }
      }
      return nil
    }
  }

  var isEmpty: Bool { places.isEmpty }

  /// The values of all fields of this name, in order, as they were written.
  func bytes(of name: String) -> Values { Values(headers: self, name: name) }

  /// Whether there is a field of this name.
  func has(_ name: String) -> Bool {
    var values = bytes(of: name)
    return values.next() != nil
  }

  /// The value of the only field of this name; nil without one, and with several.
  func onlyValue(of name: String) -> ArraySlice<UInt8>? {
    var values = bytes(of: name)
    guard let value = values.next(), values.next() == nil else { return nil }
    return value
  }

  /// The elements of a comma-separated list, from all fields of the name.
  ///
  /// Returns nil if there are more than `limit`.
  func elements(of name: String, limit: Int = .max) -> [String]? {
    var elements: [String] = []
    for value in bytes(of: name) {
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
    return bytes(of: name).contains { value in
      ListElements(value, leastLength: length).contains { $0.equalsIgnoringCase(element.utf8) }
    }
  }

  /// Appends the lines of the fields to a head (RFC 9112, section 5).
  func append(to head: inout [UInt8]) {
    for place in places {
      head += bytes[place.name]
      head += ": ".utf8
      head += bytes[place.value]
      head += "\r\n".utf8
    }
  }
}

/// The elements of one comma-separated value, trimmed, without empty ones (RFC 9110, 5.6.1).
private struct ListElements: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private let leastLength: Int

  /// - Parameter leastLength: shorter elements are skipped, in bytes
  init(_ value: ArraySlice<UInt8>, leastLength: Int = 1) {
    rest = value
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

// MARK: - Conformances

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order; the case of names counts.
  public static func == (some: Self, other: Self) -> Bool {
    some.places.count == other.places.count
      && zip(some.places, other.places).allSatisfy { mine, theirs in
        some.bytes[mine.name] == other.bytes[theirs.name]
          && some.bytes[mine.value] == other.bytes[theirs.value]
      }
  }

  /// Feeds the names and values into `hasher`.
  public func hash(into hasher: inout Hasher) {
    for place in places {
      hasher.combine(bytes[place.name])
      hasher.combine(bytes[place.value])
    }
  }
}

extension HTTPHeaders: Codable {
  private enum CodingKeys: CodingKey { case fields }

  /// Decodes the fields.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try values.decode([Field].self, forKey: .fields))
  }

  /// Encodes the fields.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(fields, forKey: .fields)
  }
}

extension HTTPHeaders: CustomReflectable {
  /// The fields, for what displays or compares values.
  public var customMirror: Mirror {
    Mirror(self, children: ["fields": fields], displayStyle: .struct)
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers of a literal, in its order.
  ///
  /// A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }
}

extension HTTPHeaders.Field {
  /// Whether the field stays within its line (RFC 9110, sections 5.1 and 5.5).
  ///
  /// A line break in a value would let an attacker add a header.
  var isWellFormed: Bool { name.isHTTPToken && value.utf8.isHTTPFieldValue }
}
