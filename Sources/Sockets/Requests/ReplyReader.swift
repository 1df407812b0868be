#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the key of a request from a message: the value at a key path of the decoded header.
struct ReplyReader: Sendable {
  /// A decoded header and the key in it.
  struct Header {
    let key: AnyHashable
    let value: Any
  }

  let path: any Sendable & AnyKeyPath
  let decoder: JSONDecoder
  /// Returns nil for a message that is not the JSON of the header.
  let header: @Sendable (WebSocketMessage) -> Header?

  init<Value: Decodable & Sendable, Key: Hashable & Sendable>(
    _ path: any Sendable & KeyPath<Value, Key>, _ decoder: JSONDecoder?
  ) {
    let decoder = decoder ?? Self.plainDecoder
    self.path = path
    self.decoder = decoder
    header = { message in
      guard let value = try? message.decode(Value.self, decoder: decoder) else { return nil }
      return Header(key: AnyHashable(value[keyPath: path]), value: value)
    }
  }

  /// Whether both read the same messages in the same way.
  func isSame(as other: ReplyReader) -> Bool {
    decoder === other.decoder && path as AnyKeyPath == other.path as AnyKeyPath
  }

  private static let plainDecoder = JSONDecoder()
}
