/// A client's request for a WebSocket, well-formed by RFC 6455, section 4.2.1.
struct ServerHandshake: Sendable {
  /// The head of the request, whose path begins with a slash.
  let head: HTTPRequestHead
  /// The subprotocols that the client offers, the preferred one first.
  let subprotocols: [String]

  private let deflateOffer: DeflateParameters?
  private let key: HandshakeKey

  init(_ head: HTTPRequestHead) throws(HandshakeRefusal) {
    // 4.2.1: a GET of HTTP/1.1 or higher. (HTTP/2 uses another handshake.)
    guard head.methodBytes.elementsEqual("GET".utf8) else {
      throw .badRequest("a WebSocket is asked for with GET")
    }
    self.head = head
    let headers = head.headers
    guard !headers.has("Transfer-Encoding"),
      !headers.has("Content-Length")
        || headers.onlyValue(of: "Content-Length")?.elementsEqual("0".utf8) == true
    else {
      throw .badRequest("a request for a WebSocket has no body")
    }
    // 4.4: the answer to an unsupported version lists the supported ones.
    guard headers.onlyValue(of: "Sec-WebSocket-Version")?.elementsEqual("13".utf8) == true else {
      throw .upgradeRequired
    }
    guard let key = headers.onlyValue(of: "Sec-WebSocket-Key").flatMap(HandshakeKey.init(text:))
    else {
      throw .badRequest("the key is not the base64 of 16 bytes")
    }
    self.key = key
    let listed = headers.elements(of: "Sec-WebSocket-Protocol", limit: HTTPHeaders.listLimit)
    guard let listed else { throw .badRequest("there are too many subprotocols") }
    subprotocols = listed
    // 9.1: malformed extensions fail the handshake; unknown ones are ignored.
    guard let extensions = WebSocketExtension.list(in: headers) else {
      throw .badRequest("the extensions are not well-formed, or too many")
    }
    deflateOffer = DeflateParameters.firstOffer(in: extensions)
  }

  /// The answer to the client's offer of compression, for `accept`.
  ///
  /// Nil if the client offers none, or without zlib.
  func deflate(for compression: WebSocketCompression) -> DeflateAnswer? {
    guard MessageDeflate.isAvailable else { return nil }
    return deflateOffer.map { offer in
      let answer = offer.answer(for: compression)
      return DeflateAnswer(
        header: answer.element.description,
        deflate: answer.deflate(for: compression, isServer: true)
      )
    }
  }

  /// The bytes of the answer that opens the WebSocket (4.2.2).
  ///
  /// - Parameters:
  ///   - subprotocol: one of those offered; nil for none
  ///   - deflate: answer to the offer of compression; nil for none
  ///   - headers: headers to send after the handshake's own
  /// - Throws: `invalidHeader`; `invalidSubprotocol` when the subprotocol was not offered.
  func accept(
    subprotocol: String? = nil,
    deflate: DeflateAnswer? = nil,
    headers: HTTPHeaders = [:]
  ) throws(HandshakeError) -> [UInt8] {
    try HandshakeHeader.check(headers)
    var response: [UInt8] = []
    response.reserveCapacity(Self.usualLength)
    response += Self.start.utf8
    response += key.accept
    response += "\r\n".utf8
    if let subprotocol {
      guard subprotocol.isHTTPToken, subprotocols.contains(subprotocol) else {
        throw .invalidSubprotocol(subprotocol)
      }
      response += "Sec-WebSocket-Protocol: \(subprotocol)\r\n".utf8
    }
    if let deflate { response += "Sec-WebSocket-Extensions: \(deflate.header)\r\n".utf8 }
    headers.append(to: &response)
    response += "\r\n".utf8
    return response
  }

  private static let start =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Accept: "

  /// The bytes of an answer without a subprotocol, an extension and further headers.
  private static let usualLength = 129
}

/// A server's acceptance of an offer of compression.
struct DeflateAnswer: Equatable, Sendable {
  /// The element of the header.
  let header: String
  /// The parameters that the server then uses.
  let deflate: MessageDeflate
}
