/// Any JSON value.
///
/// A whole number that fits into 64 bits is always an `integer` or an `unsigned`, with all its digits.
enum AnyJSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A whole number above the largest `Int64`.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([AnyJSON])
  case object([String: AnyJSON])

  /// The largest number of lists and objects inside each other.
  ///
  /// Each level takes part of the thread's stack, here and where an action is decoded: 128 levels of a
  /// recursive enum took between 256 and 512 KiB in a debug build. `JSONDecoder` itself allows 512.
  static let deepestLevel = 64

  /// A JSON text has more than `limit` lists and objects inside each other.
  struct TooDeep: Error, Equatable {
    let limit: Int
  }
}

extension AnyJSON: Codable {
  /// Decodes any JSON value.
  ///
  /// - Throws: `TooDeep`, and the decoder's error for a number or a text that Swift cannot represent.
  init(from decoder: any Decoder) throws {
    // Containers come first: a failed attempt to decode a scalar creates an error that nobody reads.
    if let object = try? decoder.container(keyedBy: Name.self) {
      try Self.checkLevel(of: decoder)
      var values: [String: AnyJSON] = [:]
      for name in object.allKeys {
        values[name.stringValue] = try object.decode(AnyJSON.self, forKey: name)
      }
      self = .object(values)
    } else if var list = try? decoder.unkeyedContainer() {
      try Self.checkLevel(of: decoder)
      var values: [AnyJSON] = []
      while !list.isAtEnd { values.append(try list.decode(AnyJSON.self)) }
      self = .array(values)
    } else {
      self = try Self.scalar(in: decoder.singleValueContainer())
    }
  }

  private static func checkLevel(of decoder: any Decoder) throws {
    if decoder.codingPath.count >= deepestLevel { throw TooDeep(limit: deepestLevel) }
  }

  private static func scalar(in container: any SingleValueDecodingContainer) throws -> AnyJSON {
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .string(text) }
    if let integer = try? container.decode(Int64.self) { return .integer(integer) }
    if let truth = try? container.decode(Bool.self) { return .bool(truth) }
    if let unsigned = try? container.decode(UInt64.self) { return .unsigned(unsigned) }
    return .number(try container.decode(Double.self))
  }

  /// Encodes the JSON value itself, without the name of its case.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let truth): try container.encode(truth)
    case .integer(let integer): try container.encode(integer)
    case .unsigned(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
