import Foundation
import Sockets

/// Any JSON value.
enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer beyond those.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The most lists and objects inside each other; a state of a program has at most 100 levels.
  private static let deepestLevel = 128

  /// Reads JSON.
  ///
  /// - Throws: the decoder's error.
  init(json: String) throws {
    guard try JSONNesting.isAtMost(Self.deepestLevel, in: json.utf8) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: [], debugDescription: "The text has more than \(Self.deepestLevel) levels."))
    }
    self = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
  }

  /// A value as JSON.
  ///
  /// - Throws: the encoder's error.
  init(_ value: some Encodable) throws {
    self = try JSONDecoder.ofProtocol.decode(
      JSONValue.self, from: JSONEncoder.ofProtocol.encode(value))
  }

  /// The value with this name of an object; nil for none.
  subscript(name: String) -> JSONValue? {
    if case .object(let values) = self { values[name] } else { nil }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, also if it is in a string.
  var integer: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// The JSON in one line, with sorted names.
  var json: String { (try? JSONEncoder.ofProtocol.text(of: self)) ?? "null" }
}

extension JSONValue: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  init(stringLiteral value: String) { self = .string(value) }

  init(integerLiteral value: Int64) { self = .integer(value) }

  init(booleanLiteral value: Bool) { self = .bool(value) }
}
