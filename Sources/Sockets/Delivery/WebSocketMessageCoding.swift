#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Messages that carry JSON.
extension WebSocketMessage {
  /// Encodes `value` as JSON in a text message.
  ///
  /// - Throws: `notEncodable`.
  public static func json(
    _ value: some Encodable,
    encoder: JSONEncoder = JSONEncoder()
  ) throws(WebSocketMessageError) -> WebSocketMessage {
    do {
      return .text(String(decoding: try encoder.encodeRepeatably(value), as: UTF8.self))
    } catch {
      throw .notEncodable("\(type(of: value))", reason: WebSocketMessageError.reason(error))
    }
  }

  /// Decodes the JSON of a text or binary message.
  ///
  /// - Throws: `notDecodable`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    decoder: JSONDecoder = JSONDecoder()
  ) throws(WebSocketMessageError) -> Value {
    let data = data
    if data.isEmpty { throw .notDecodable("\(type)", reason: "the message is empty") }
    do {
      return try decoder.decode(type, fromForeign: data)
    } catch {
      throw .notDecodable("\(type)", reason: WebSocketMessageError.reason(error))
    }
  }
}

extension JSONEncoder {
  /// Encodes a value; on a simulated host with sorted keys, which are in another order in each process otherwise.
  func encodeRepeatably(_ value: some Encodable) throws -> Data {
    if HostSystem.current != nil { outputFormatting.insert(.sortedKeys) }
    return try encode(value)
  }
}

/// Why a value could not be encoded as a message, or a message could not be decoded.
///
/// Neither case contains the message's content, which may be secret.
public enum WebSocketMessageError: Error, Hashable, Codable, Sendable {
  /// A value of this type could not be encoded, so nothing was sent.
  ///
  /// Correct its encoding.
  case notEncodable(String, reason: String)
  /// The message is not the JSON of this type.
  ///
  /// Decode another type, or correct the peer.
  case notDecodable(String, reason: String)

  /// The coder's message, with the coding path.
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

  /// Removes the full stop, since a coding path may follow.
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
  /// One line: the type and the reason.
  public var description: String {
    switch self {
    case .notEncodable(let type, let reason): "a \(type) cannot be encoded: \(reason)"
    case .notDecodable(let type, let reason): "expected a \(type): \(reason)"
    }
  }
}
