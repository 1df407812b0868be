#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A whole message, however many frames it came in.
public enum WebSocketMessage: Hashable, Sendable {
  /// Text: on the wire it is UTF-8, checked before it gets here.
  case text(String)
  /// Any bytes.
  case binary(Data)

  /// The text, or nil when the message is binary.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// How many bytes it has: those of the UTF-8 when it is text.
  package var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }

  /// The bytes of the message: those of the UTF-8 when it is text.
  public var data: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .binary(let data): data
    }
  }
}
