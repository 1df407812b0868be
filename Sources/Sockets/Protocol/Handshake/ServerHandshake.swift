/// The server's half of the opening handshake, for WebSockets only (RFC 6455, section 4.2).
///
/// Pass received bytes to `receive` until it returns a request. Then write the request's
/// `accept()`, or a refusal's `response`.
package struct ServerHandshake: Sendable {
  private var reader = HTTPRequestReader(bodyLimit: nil)

  package init() {}

  /// Takes bytes of the request off the front of `input`.
  ///
  /// - Returns: The request when it is complete; `input` then begins with the first frame. Nil when
  ///   more bytes are needed.
  /// - Throws: The refusal to write before the transport is closed.
  package mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> UpgradeRequest? {
    switch try reader.receive(&input) {
    case nil: return nil
    case .webSocket(let request)?: return request
    case .plain?: throw .webSocketRequired
    }
  }
}

/// A client's request for a WebSocket, well-formed by RFC 6455, section 4.2.1.
package struct UpgradeRequest: Equatable, Sendable {
  /// The path with its percent encoding, as sent; begins with a slash.
  package let path: String
  /// The text after the question mark, as sent; nil without a question mark.
  package let query: String?
  /// All headers of the request.
  package let headers: HTTPHeaders
  /// The subprotocols that the client offers, the preferred one first.
  package let subprotocols: [String]

  private let deflateOffer: DeflateParameters?
  private let key: HandshakeKey

  init(_ head: HTTPRequestHead) throws(HandshakeRefusal) {
    // 4.2.1: a GET of HTTP/1.1 or higher. (HTTP/2 uses another handshake.)
    guard head.method == "GET", head.path.hasPrefix("/") else {
      throw .badRequest("a WebSocket is asked for with GET")
    }
    (path, query, headers) = (head.path, head.query, head.headers)
    guard headers["Transfer-Encoding"] == nil, ["0", nil].contains(headers["Content-Length"]) else {
      throw .badRequest("a request for a WebSocket has no body")
    }
    // 4.4: the answer to an unsupported version lists the supported ones.
    guard headers["Sec-WebSocket-Version"] == "13" else { throw .upgradeRequired }
    guard let key = headers["Sec-WebSocket-Key"].flatMap(HandshakeKey.init(value:)) else {
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
  package func deflate(for compression: WebSocketCompression) -> DeflateAnswer? {
    guard MessageDeflate.isAvailable else { return nil }
    return deflateOffer.map { offer in
      let answer = offer.answer(for: compression)
      return DeflateAnswer(
        header: answer.element.description,
        deflate: answer.serverDeflate(for: compression)
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
  package func accept(
    subprotocol: String? = nil,
    deflate: DeflateAnswer? = nil,
    headers: HTTPHeaders = [:]
  ) throws(HandshakeError) -> [UInt8] {
    try HandshakeHeader.check(headers)
    var fields: HTTPHeaders = [
      "Upgrade": "websocket",
      "Connection": "Upgrade",
      "Sec-WebSocket-Accept": key.accept,
    ]
    if let subprotocol {
      guard subprotocol.isHTTPToken, subprotocols.contains(subprotocol) else {
        throw .invalidSubprotocol(subprotocol)
      }
      fields.add("Sec-WebSocket-Protocol", subprotocol)
    }
    if let deflate { fields.add("Sec-WebSocket-Extensions", deflate.header) }
    let all = HTTPHeaders(fields.fields + headers.fields)
    return HTTPHead(startLine: "HTTP/1.1 101 Switching Protocols", headers: all).bytes
  }
}

/// A server's acceptance of an offer of compression.
package struct DeflateAnswer: Equatable, Sendable {
  /// The element of the header.
  let header: String
  /// The parameters that the server then uses.
  package let deflate: MessageDeflate
}

/// A server's refusal of a request: an HTTP answer with a status other than 101.
package struct HandshakeRefusal: Error, Equatable {
  package var status: Int
  package var reason: String
  package var headers: HTTPHeaders
  package var body: String

  /// Makes a refusal of a status, headers and a body.
  ///
  /// - Parameter reason: phrase after the status. Like the headers, it must be the program's, never
  ///   the peer's.
  package init(status: Int, reason: String, headers: HTTPHeaders = [:], body: String = "") {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }

  /// 400: the request does not conform to RFC 6455 or HTTP; `problem` says how.
  package static func badRequest(_ problem: String) -> HandshakeRefusal {
    HandshakeRefusal(status: 400, reason: "Bad Request", body: problem + "\n")
  }

  /// 426: the client's version is not 13 (4.4).
  package static let upgradeRequired = HandshakeRefusal(
    status: 426,
    reason: "Upgrade Required",
    headers: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
  )

  /// 426: the server accepts WebSockets only (RFC 9110, section 15.5.22).
  package static let webSocketRequired = HandshakeRefusal(
    status: 426,
    reason: "Upgrade Required",
    headers: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"],
    body: "this is a server of WebSockets\n"
  )

  /// 503: the server is shutting down.
  static let shuttingDown = HandshakeRefusal(
    status: 503, reason: "Service Unavailable", body: "the server is shutting down\n")

  /// 503: the program did not answer in time.
  static let tooSlow = HandshakeRefusal(
    status: 503, reason: "Service Unavailable", body: "the server is too slow\n")

  /// The bytes to write before the transport is closed.
  package var response: [UInt8] { response(withBody: true) }

  /// - Parameter withBody: whether the body is written; the answer to `HEAD` has only its length
  func response(withBody: Bool) -> [UInt8] {
    var all = headers
    if !body.isEmpty { all.add("Content-Type", "text/plain; charset=utf-8") }
    all.add("Content-Length", String(body.utf8.count))
    // RFC 9110, section 7.8: a sender of Upgrade also lists it in Connection.
    all.add("Connection", headers["Upgrade"] == nil ? "close" : "upgrade, close")
    let head = HTTPHead(startLine: "HTTP/1.1 \(status) \(reason)", headers: all)
    return withBody ? head.bytes + body.utf8 : head.bytes
  }
}
