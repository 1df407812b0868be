/// The opening handshake of either side.
enum OpeningHandshake {
  /// A client's handshake; with a dialer it can follow redirects.
  case client(ClientHandshake, Dialer? = nil)
  case server(RequestLoop)
}

/// The result of the handshake, kept while the WebSocket lives.
struct Agreement: Sendable {
  var subprotocol: String?
  /// The extensions, as in the server's header.
  var extensions: String
  /// The client's request; nil on a client.
  var request: WebSocketRequest?
}

/// The result of a successful handshake.
struct Acceptance: Sendable {
  var agreement: Agreement
  /// How messages are compressed; nil for no compression.
  var deflate: MessageDeflate?
  /// The bytes of a server's positive response.
  var response: [UInt8] = []
}

extension Session.HandshakeResult {
  init(of agreement: Agreement) {
    if agreement.subprotocol != nil || !agreement.extensions.isEmpty {
      self = .accepted(agreement)
    } else {
      self = agreement.request.map { .plain($0) } ?? .none
    }
  }
}
