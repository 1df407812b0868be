#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The opening handshake of either side: takes bytes and returns what to do next.
enum OpeningHandshake {
  /// A client's handshake; with a dialer it can follow redirects.
  case client(ClientHandshake, from: Dialer? = nil)
  case server(ServerHandshake)

  /// The bytes that this side sends first: a client's request.
  var request: [UInt8] {
    switch self {
    case .client(let handshake, _): handshake.request
    case .server: []
    }
  }

  /// Takes bytes of the handshake off the front of `input`.
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeError) -> ServerHandshake.Step {
    // Consumed and stored again, so that input that arrives byte by byte causes no copies.
    switch consume self {
    case .client(var handshake, let route):
      defer { self = .client(handshake, from: route) }
      let answer = try handshake.receive(&input)
      // The rest of a redirect's response is not needed.
      if let refusal = handshake.refusal, route?.follows(refusal) == true { throw refusal }
      return answer.map { .accepted(Acceptance($0)) } ?? .needsBytes
    case .server(var opening):
      defer { self = .server(opening) }
      do throws(HandshakeRefusal) {
        return try opening.receive(&input)
      } catch {
        return .refuse(error)
      }
    }
  }

  /// Changes the server's handshake by `body`; does nothing for a client.
  mutating func withServer(_ body: (inout ServerHandshake) -> Void) {
    guard case .server(var opening) = self else { return }
    body(&opening)
    self = .server(opening)
  }

  /// The server's handshake; nil for a client.
  var server: ServerHandshake? {
    if case .server(let opening) = self { opening } else { nil }
  }

  /// The dialer for the redirect's target after this failure; nil when the failure is final.
  func route(after error: HandshakeError) throws(WebSocketError) -> Dialer? {
    guard case .client(_, let route?) = self else { return nil }
    return try route.redirected(by: error)
  }

  /// A refusal whose response has not arrived completely.
  var refusal: HandshakeError? {
    switch self {
    case .client(let handshake, _): handshake.refusal
    case .server: nil
    }
  }

  /// The error of a handshake during which the peer's bytes end.
  func receiveEnd() -> HandshakeError { refusal ?? .connectionClosed }
}

/// The result of the handshake, kept while the WebSocket lives.
struct Agreement: Sendable {
  var subprotocol: String?
  /// The extensions, as in the server's header.
  var extensions: String
  /// The client's request; nil on a client.
  var request: WebSocketRequest?

  /// Whether the handshake agreed on anything beyond the WebSocket itself.
  var isWorthKeeping: Bool { subprotocol != nil || !extensions.isEmpty || request != nil }
}

/// The result of a successful handshake.
struct Acceptance: Sendable {
  var agreement: Agreement
  /// How messages are compressed; nil for no compression.
  var deflate: MessageDeflate?
  /// The bytes of a server's positive response.
  var answer: [UInt8] = []
}

extension Acceptance {
  /// A client's acceptance, from the server's response.
  fileprivate init(_ answer: ClientHandshake.Answer) {
    let extensions = answer.headers["Sec-WebSocket-Extensions"] ?? ""
    agreement = Agreement(subprotocol: answer.subprotocol, extensions: extensions)
    deflate = answer.deflate
  }
}

extension HandshakeRefusal {
  /// The refusal as the error of the connection, as for its client.
  var error: HandshakeError {
    .rejected(status: status, reason: reason, headers: headers, body: Data(body.utf8))
  }
}
