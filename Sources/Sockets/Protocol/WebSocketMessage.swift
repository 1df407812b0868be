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

extension WebSocketMessage {
  /// The opcode of the message's first frame.
  var opcode: Opcode {
    switch self {
    case .text: .text
    case .binary: .binary
    }
  }

  /// Passes the bytes of the message to `body`, valid inside it only; for text, its UTF-8.
  @inline(__always)
  func withPayload<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch self {
    case .text(let text):
      // A bridged Objective-C string is copied first.
      text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        ?? Array(text.utf8).withUnsafeBytes { body($0) }
    case .binary(let data):
      data.withUnsafeBytes { body($0) }
    }
  }
}
