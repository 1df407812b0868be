#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Any JSON value: a message of a channel, or the data of a call.
///
/// ```swift
/// let message: JSONValue = ["type": "new_chat", "data": ["id": 7]]
/// message["data"]?["id"]?.integer  // 7
/// let chat = try message["data"]?.decode(Chat.self)
/// ```
///
/// Parsing gives `integer` for whole numbers that fit into an `Int`, and `number` for all others.
/// `.number(7)` is another value than `7`, and is written `7.0`.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// Any other number.
  ///
  /// JSON has no infinity and NaN: they are written as `null`.
  case number(Double)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name.
  case object([String: JSONValue])

  /// Parses a JSON text.
  ///
  /// - Throws: `DecodingError`, when the text is not JSON, or is nested deeper than 512 levels.
  public init(parsing text: String) throws {
    self = try JSONDecoder().decode(JSONValue.self, fromForeign: Data(text.utf8))
  }

  /// Encodes `value` as JSON.
  ///
  /// - Throws: errors of encoding `value`.
  public init(encoding value: some Encodable, using encoder: JSONEncoder = .init()) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: encoder.encode(value))
  }

  /// Decodes a value of another type from this JSON.
  ///
  /// - Throws: errors of decoding.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    using decoder: JSONDecoder = .init()
  ) throws -> Value {
    try decoder.decode(type, from: Data(text.utf8))
  }

  // MARK: Looking inside

  /// The value with this name; nil when this is not an object or has no such name.
  public subscript(name: String) -> JSONValue? {
    if case .object(let values) = self { values[name] } else { nil }
  }

  /// The element at `index`; nil when this is not an array or the index is out of range.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let values) = self, values.indices.contains(index) else { return nil }
    return values[index]
  }

  /// The text; nil when this is not a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number; nil when this is not an integer.
  public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

  /// The number, whole or not; nil when this is not a number.
  public var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// The Boolean; nil when this is not a Boolean.
  public var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }

  // MARK: Writing

  /// The canonical JSON text of this value: names sorted, no spaces.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let truth): text += truth ? "true" : "false"
    case .integer(let number): text += String(number)
    case .number(let number): text += number.isFinite ? String(number) : "null"
    case .string(let string): text.append(jsonString: string)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let values):
      text += "{"
      for (index, (name, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text += "," }
        text.append(jsonString: name)
        text += ":"
        value.write(to: &text)
      }
      text += "}"
    }
  }
}

extension JSONValue: Codable {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let integer = try? value.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let truth = try? value.decode(Bool.self) {
      self = .bool(truth)
    } else if let object = try? value.decode([String: JSONValue].self) {
      self = .object(object)
    } else {
      self = .array(try value.decode([JSONValue].self))
    }
  }

  /// Encodes the JSON value itself, without its case.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let truth): try value.encode(truth)
    case .integer(let number): try value.encode(number)
    case .number(let number):
      if number.isFinite { try value.encode(number) } else { try value.encodeNil() }
    case .string(let string): try value.encode(string)
    case .array(let values): try value.encode(values)
    case .object(let values): try value.encode(values)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The JSON text.
  public var description: String { text }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }
  /// A whole number.
  public init(integerLiteral number: Int) { self = .integer(number) }
  /// A number.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }
  /// Values in order.
  public init(arrayLiteral values: JSONValue...) { self = .array(values) }
  /// Values by name; of two values with one name the last is kept.
  public init(dictionaryLiteral values: (String, JSONValue)...) {
    self = .object(Dictionary(values) { $1 })
  }
}
