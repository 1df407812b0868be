#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The opening handshake, of either side: bytes in, an acceptance or a failure out.
enum OpeningHandshake {
  /// A client that knows its way there can be sent on.
  case client(ClientHandshake, from: Dialer? = nil)
  case server(ServerOpeningHandshake)

  /// A server's that accepts everybody.
  static func server(_ configuration: WebSocketConfiguration) -> Self {
    .server(ServerOpeningHandshake(UpgradeHandler(configuration)))
  }

  /// What this side says before it has heard anything.
  var request: [UInt8] {
    switch self {
    case .client(let handshake, _): handshake.request
    case .server: []
    }
  }

  /// Takes bytes of the handshake off the front of `input`.
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(OpeningHandshakeFailure) -> ServerOpeningHandshake.Step {
    // Changed where they are: of what comes byte by byte nothing is copied again and again.
    switch consume self {
    case .client(var handshake, let route):
      defer { self = .client(handshake, from: route) }
      do throws(HandshakeError) {
        let answer = try handshake.receive(&input)
        // What else a server has to say that sends us on is of no interest.
        if let refusal = handshake.refusal, route?.follows(refusal) == true { throw refusal }
        return answer.map { .accepted(Acceptance($0)) } ?? .waits
      } catch {
        throw OpeningHandshakeFailure(error: error)
      }
    case .server(var opening):
      defer { self = .server(opening) }
      do throws(HandshakeRefusal) {
        return try opening.receive(&input)
      } catch {
        throw OpeningHandshakeFailure(error, answer: opening.response(to: error))
      }
    }
  }

  /// The server's side, changed by `body`; a client's has none.
  mutating func withServer(_ body: (inout ServerOpeningHandshake) -> Void) {
    guard case .server(var opening) = self else { return }
    body(&opening)
    self = .server(opening)
  }

  /// The server's side; nil for a client.
  var server: ServerOpeningHandshake? {
    if case .server(let opening) = self { opening } else { nil }
  }

  /// Where a client goes after this failure; nil when it is the end.
  func route(after error: HandshakeError) throws(WebSocketError) -> Dialer? {
    guard case .client(_, let route?) = self else { return nil }
    do throws(RedirectError) {
      return try route.redirected(by: error)
    } catch {
      throw .redirect(error)
    }
  }

  /// A refusal that has not come entirely.
  var refusal: HandshakeError? {
    switch self {
    case .client(let handshake, _): handshake.refusal
    case .server: nil
    }
  }

  /// Why it fails when the peer's bytes end now.
  func receiveEnd() -> HandshakeError {
    switch self {
    case .client(let handshake, _): handshake.receiveEnd()
    case .server: .connectionClosed
    }
  }
}

/// What both sides agreed upon, for as long as the WebSocket lives.
struct Agreement: Sendable {
  var subprotocol: String?
  /// The extensions, as the server's header has them.
  var extensions: String
  /// What the client asked for; known to a server.
  var request: WebSocketRequest?

  /// Whether it says more than that there is a WebSocket.
  var isWorthKeeping: Bool { subprotocol != nil || !extensions.isEmpty || request != nil }
}

/// A handshake that is made.
struct Acceptance: Sendable {
  var agreement: Agreement
  /// How messages are compressed; nil when they are not.
  var deflate: MessageDeflate?
  /// The bytes that a server says yes with.
  var answer: [UInt8] = []

  /// A client's, by the server's yes.
  fileprivate init(_ answer: ClientHandshake.Answer) {
    let extensions = answer.headers["Sec-WebSocket-Extensions"] ?? ""
    agreement = Agreement(subprotocol: answer.subprotocol, extensions: extensions)
    deflate = answer.deflate
  }

  /// A server's yes.
  init(
    to request: WebSocketRequest,
    _ subprotocol: String?,
    _ deflate: DeflateAnswer?,
    answer: [UInt8]
  ) {
    let extensions = deflate?.header ?? ""
    agreement = Agreement(subprotocol: subprotocol, extensions: extensions, request: request)
    self.deflate = deflate?.deflate
    self.answer = answer
  }
}

/// A handshake that failed.
struct OpeningHandshakeFailure: Error {
  let error: HandshakeError
  /// The bytes that a server says no with; a client just leaves.
  var answer: [UInt8] = []
}

extension OpeningHandshakeFailure {
  /// A server's no.
  init(_ refusal: HandshakeRefusal, answer: [UInt8]) {
    let error = HandshakeError.rejected(
      status: refusal.status,
      reason: refusal.reason,
      headers: refusal.headers,
      body: Data(refusal.body.utf8)
    )
    self.init(error: error, answer: answer)
  }
}
