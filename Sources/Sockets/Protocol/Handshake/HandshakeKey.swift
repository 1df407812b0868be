#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The 16 bytes that tie an answer to its request (RFC 6455, section 1.3).
struct HandshakeKey: Equatable {
  /// The key in base64, as in the header.
  let value: String

  /// Makes a new key: a nonce of 16 bytes, chosen anew for every connection (4.1).
  init(random: RandomBytes) {
    var nonce = [UInt8](repeating: 0, count: Self.length)
    nonce.withUnsafeMutableBytes { random($0) }
    value = Data(nonce).base64EncodedString()
  }

  /// Reads the key of a request; nil unless it is the base64 of 16 bytes (4.2.1).
  init?(value: String) {
    guard Data(base64Encoded: value)?.count == Self.length else { return nil }
    self.value = value
  }

  /// The server's answer (4.2.2): base64 of SHA-1 of the key and a fixed GUID.
  var accept: String {
    let digest = SHA1.digest(Array((value + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Data(digest).base64EncodedString()
  }

  private static let length = 16
}

/// The headers that the handshake sets, which a program may not.
enum HandshakeHeader {
  static let names = [
    "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
    "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions",
  ]

  /// Throws if a field would break the head, or contradict the handshake.
  static func check(_ headers: HTTPHeaders) throws(HandshakeError) {
    for field in headers.fields {
      let isOurs = names.contains { $0.equalsIgnoringCase(field.name) }
      guard field.isWellFormed, !isOurs else { throw .invalidHeader(name: field.name) }
    }
    // RFC 9112, 3.2 and 6.2: two programs on the way could interpret these fields differently.
    guard headers.values(of: "Host").count < 2 else { throw .invalidHeader(name: "Host") }
    if headers["Content-Length"] != nil, headers["Transfer-Encoding"] != nil {
      throw .invalidHeader(name: "Transfer-Encoding")
    }
  }
}
