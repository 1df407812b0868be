#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reason why the opening handshake failed (RFC 6455, section 4).
public enum HandshakeError: Error, Hashable, Codable, Sendable {
  /// The server answered with a status other than 101. 401 requires other credentials, 3xx another
  /// address, 426 another version; after 429 and 503 try again later.
  ///
  /// `body` is at most 64 KiB of what arrived before the connection ended or the handshake timed
  /// out.
  case rejected(status: Int, reason: String, headers: HTTPHeaders, body: Data)
  /// The answer is not HTTP. Check host and port: they belong to another service.
  case notHTTP
  /// The answer is a TLS record. Use `wss` in the URL.
  ///
  /// Some TLS servers end the connection instead: `connectionClosed`.
  case speaksTLS
  /// The head of the answer violates HTTP, as the text describes. The server is faulty.
  case malformedHead(String)
  /// The head of the answer is longer than the limit in bytes. The server is faulty.
  case headTooLong(limit: Int)
  /// The head of the answer has more fields than the limit. The server is faulty.
  case tooManyFields(limit: Int)
  /// The server answered 101 without `Upgrade: websocket` or `Connection: Upgrade` (4.1). `header`
  /// is the missing one. A proxy on the way may not support WebSockets.
  case notUpgraded(header: String)
  /// The answer's `Sec-WebSocket-Accept` is wrong (4.1). A cache may have answered.
  case badAccept
  /// The server chose a subprotocol that was not offered (4.1). Offer it, or change the server.
  case unexpectedSubprotocol(String)
  /// The server chose extensions that were not offered (4.1). The server is faulty.
  case unexpectedExtensions(String)
  /// The server's extensions header violates the grammar (9.1), or has a parameter that
  /// permessage-deflate does not allow there (RFC 7692, 5.1). The server is faulty; connect without
  /// compression.
  case invalidExtensions(String)
  /// The bytes ended before the answer was complete. Try again.
  case connectionClosed
  /// A header has a name or value that HTTP does not allow, such as a line break, or is one that
  /// the handshake sets itself. Nothing was sent: change the header.
  case invalidHeader(name: String)
  /// A subprotocol is not a token, or is offered twice. Nothing was sent: change it.
  case invalidSubprotocol(String)
}

extension HandshakeError: CustomStringConvertible {
  /// The error as one line of English.
  public var description: String {
    switch self {
    case .rejected(let status, let reason, _, _):
      "the server refused the WebSocket with status \(status)"
        + (reason.isEmpty ? "" : " \(reason)")
    case .notHTTP: "the server did not answer in HTTP"
    case .speaksTLS: "the server speaks TLS: use wss"
    case .malformedHead(let problem): "the HTTP head is malformed: \(problem)"
    case .headTooLong(let limit): "the HTTP head is longer than \(limit) bytes"
    case .tooManyFields(let limit): "the HTTP head has more than \(limit) fields"
    case .notUpgraded(let header):
      "the server answered 101, but its \(header) header does not agree to a WebSocket"
    case .badAccept: "the server's Sec-WebSocket-Accept does not fit the key"
    case .unexpectedSubprotocol(let name): "the server chose subprotocol \(name), not offered"
    case .unexpectedExtensions(let list): "the server chose extensions not offered: \(list)"
    case .invalidExtensions(let list): "the server chose extensions that make no sense: \(list)"
    case .connectionClosed: "the connection ended during the handshake"
    case .invalidHeader(let name): "header \(name.debugDescription) cannot be sent"
    case .invalidSubprotocol(let name): "subprotocol \(name.debugDescription) cannot be offered"
    }
  }
}

extension HandshakeRefusal {
  /// The refusal as the error of the connection, as for its client.
  var error: HandshakeError {
    .rejected(status: status, reason: reason, headers: headers, body: Data(body.utf8))
  }
}
