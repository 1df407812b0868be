#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Messages of JSON.
extension WebSocketMessage {
  /// A text message of the JSON that `value` is encoded to.
  ///
  /// - Throws: `notEncodable`.
  public static func json(
    _ value: some Encodable,
    encoder: JSONEncoder = JSONEncoder()
  ) throws(WebSocketMessageError) -> WebSocketMessage {
    do {
      return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      throw .notEncodable("\(type(of: value))", reason: WebSocketMessageError.reason(error))
    }
  }

  /// The value that the message, text or binary, is the JSON of.
  ///
  /// - Throws: `notDecodable`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    decoder: JSONDecoder = JSONDecoder()
  ) throws(WebSocketMessageError) -> Value {
    let data = data
    if data.isEmpty { throw .notDecodable("\(type)", reason: "the message is empty") }
    do {
      return try decoder.decode(type, from: data)
    } catch {
      throw .notDecodable("\(type)", reason: WebSocketMessageError.reason(error))
    }
  }
}

/// Why a message could not be made of a value, or a value of a message.
///
/// Neither tells what is in the message, which may be a secret.
public enum WebSocketMessageError: Error, Hashable, Sendable {
  /// A value of this type has no JSON; nothing was sent. Mend its encoding.
  case notEncodable(String, reason: String)
  /// The message is not the JSON of this type. Expect another one, or ask the peer.
  case notDecodable(String, reason: String)

  /// What the coder says, and where.
  fileprivate static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "the key \"\(key.stringValue)\" is missing\(place(context.codingPath))"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      said(context.debugDescription) + place(context.codingPath)
    case EncodingError.invalidValue(_, let context):
      said(context.debugDescription) + place(context.codingPath)
    default: "\(error)"
    }
  }

  /// A place may follow.
  private static func said(_ sentence: String) -> String {
    String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...])
  }

  private static func place(_ path: [any CodingKey]) -> String {
    if path.isEmpty { return "" }
    let names = path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
    return " at \(names.joined(separator: "."))"
  }
}

extension WebSocketMessageError: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .notEncodable(let type, let reason): "a \(type) cannot be encoded: \(reason)"
    case .notDecodable(let type, let reason): "expected a \(type): \(reason)"
    }
  }
}
