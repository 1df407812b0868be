#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why no WebSocket came about: the opening handshake of RFC 6455, section 4, went wrong.
public enum HandshakeError: Error, Hashable, Sendable {
  /// The server answered, but not with 101. Status, headers and body are its own words: 401 wants
  /// other credentials, 3xx another address, 426 another version, 429 and 503 patience.
  ///
  /// `body` is at most 64 KiB of what came before the connection or the time for the handshake ended.
  case rejected(status: Int, reason: String, headers: HTTPHeaders, body: Data)
  /// The answer is not HTTP. Host or port belong to another service.
  case notHTTP
  /// The answer is a record of TLS. Write `wss` in the URL.
  ///
  /// Some servers of TLS end the connection instead: `connectionClosed`.
  case speaksTLS
  /// The head of the answer breaks the rules of HTTP, in the way told. The server is faulty.
  case malformedHead(String)
  /// The head of the answer is longer than the limit in bytes. The server is faulty.
  case headTooLong(limit: Int)
  /// The head of the answer has more fields than the limit. The server is faulty.
  case tooManyFields(limit: Int)
  /// The server answered 101 without `Upgrade: websocket` or `Connection: Upgrade`, the header
  /// named here (4.1). A proxy between may not know WebSockets.
  case notUpgraded(header: String)
  /// The proof that the server understood this request is wrong (4.1). A cache may have answered.
  case badAccept
  /// The server chose a subprotocol that was not offered (4.1). Offer it, or change the server.
  case unexpectedSubprotocol(String)
  /// The server chose extensions that were not offered (4.1). The server is faulty.
  case unexpectedExtensions(String)
  /// The server's header about extensions breaks the grammar (9.1), or has a parameter that
  /// permessage-deflate does not have there (RFC 7692, 5.1). The server is faulty; leave compression
  /// off to reach it.
  case invalidExtensions(String)
  /// The bytes ended before the answer was complete. Worth another attempt.
  case connectionClosed
  /// A header to be sent has a name or value that HTTP does not allow, such as a line break, or is
  /// one that the handshake sets itself. Nothing was sent: change the header.
  case invalidHeader(name: String)
  /// A subprotocol to be offered is not a token, or is there twice. Nothing was sent: change it.
  case invalidSubprotocol(String)
}

extension HandshakeError: CustomStringConvertible {
  /// What happened, in one line.
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
