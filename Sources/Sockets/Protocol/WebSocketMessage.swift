#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A whole message, in however many frames it was sent.
public enum WebSocketMessage: Hashable, Codable, Sendable {
  /// Text, which is UTF-8 on the wire and is validated before delivery.
  case text(String)
  /// Arbitrary bytes.
  case binary(Data)

  /// The text, or nil when the message is binary.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The length in bytes; for text, that of its UTF-8.
  package var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }

  /// The bytes of the message; for text, its UTF-8.
  public var data: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .binary(let data): data
    }
  }
}
