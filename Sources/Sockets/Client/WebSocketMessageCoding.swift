import Foundation

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
      "no \(key.stringValue)\(place(context.codingPath))"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      "\(context.debugDescription)\(place(context.codingPath))"
    case EncodingError.invalidValue(_, let context):
      "\(context.debugDescription)\(place(context.codingPath))"
    default: "\(error)"
    }
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
