/// The client's half of the opening handshake (RFC 6455, section 4.1).
///
/// Write `request`, then pass received bytes to `receive` until it returns the answer.
package struct ClientHandshake: Sendable {
  /// The server's acceptance.
  package struct Answer: Equatable, Sendable {
    /// The subprotocol that the server chose among those offered.
    package var subprotocol: String?
    /// The agreed compression; nil for none.
    package var deflate: MessageDeflate?
    /// All headers of the answer.
    package var headers: HTTPHeaders
  }

  /// The bytes to send.
  package let request: [UInt8]

  private let key: HandshakeKey
  private let subprotocols: [String]
  private let compression: WebSocketCompression?
  private var reader = HTTPAnswerReader()
  private var rejection: Rejection?

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - subprotocols: subprotocols to offer, in order of preference
  ///   - compression: compression to offer, if zlib is available
  ///   - headers: headers to send after the handshake's own; a `Host` replaces that of the URL
  ///   - random: called once, for the 16 bytes of the key
  /// - Throws: `invalidHeader`, `invalidSubprotocol`.
  package init(
    _ url: WebSocketURL,
    subprotocols: [String] = [],
    compression: WebSocketCompression? = nil,
    headers: HTTPHeaders = [:],
    random: RandomBytes
  ) throws(HandshakeError) {
    try HandshakeHeader.check(headers)
    var offered = Set<String>()
    // 4.1: subprotocols are tokens, and no two are the same.
    for name in subprotocols where !name.isHTTPToken || !offered.insert(name).inserted {
      throw .invalidSubprotocol(name)
    }

    key = HandshakeKey(random: random)
    self.subprotocols = subprotocols
    self.compression = MessageDeflate.isAvailable ? compression : nil
    var fields: HTTPHeaders = [
      "Host": url.authority,
      "Upgrade": "websocket",
      "Connection": "Upgrade",
      "Sec-WebSocket-Key": String(decoding: key.text, as: UTF8.self),
      "Sec-WebSocket-Version": "13",
    ]
    if !subprotocols.isEmpty {
      fields.add("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
    }
    if let compression = self.compression {
      let offers = DeflateParameters.offers(for: compression).map(\.element.description)
      fields.add("Sec-WebSocket-Extensions", offers.joined(separator: ", "))
    }
    if headers["Host"] != nil { fields["Host"] = nil }
    request = HTTPHead.bytes("GET \(url.target) HTTP/1.1", fields.adding(headers))
  }

  /// Takes bytes of the answer off the front of `input`.
  ///
  /// - Returns: The answer when it is complete; `input` then begins with the first frame. Nil when
  ///   more bytes are needed.
  /// - Throws: The error in the answer. Close the transport then.
  package mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeError) -> Answer? {
    if rejection == nil {
      guard let head = try reader.receive(&input) else { return nil }
      let (status, reason) = try head.status()
      if status == 101 {
        // 4.1: HTTP/1.1 or higher; HTTP/1.0 has no upgrade.
        guard !head.startLine.starts(with: "HTTP/1.0".utf8) else {
          throw .malformedHead("status 101 is not of HTTP/1.1")
        }
        return try answer(head.headers)
      }
      rejection = Rejection(status: status, reason: reason, headers: head.headers)
    }
    rejection?.receive(&input)
    if let rejection, rejection.isComplete { throw rejection.error }
    return nil
  }

  /// A refusal with an incomplete body, as far as it has arrived.
  package var refusal: HandshakeError? { rejection?.error }

  /// Checks an answer of status 101 as a client must (4.1).
  private func answer(_ headers: HTTPHeaders) throws(HandshakeError) -> Answer {
    guard headers.onlyValue(of: "Upgrade")?.equalsIgnoringCase("websocket".utf8) == true else {
      throw .notUpgraded(header: "Upgrade")
    }
    guard headers.lists("Upgrade", in: "Connection") else {
      throw .notUpgraded(header: "Connection")
    }
    guard let accept = headers.onlyValue(of: "Sec-WebSocket-Accept"),
      accept.elementsEqual(key.accept)
    else { throw .badAccept }
    let deflate = try deflate(headers)
    let subprotocol = headers["Sec-WebSocket-Protocol"]
    if let subprotocol, !subprotocols.contains(subprotocol) {
      throw .unexpectedSubprotocol(subprotocol)
    }
    return Answer(subprotocol: subprotocol, deflate: deflate, headers: headers)
  }

  /// Reads the agreed compression: the server accepts one offer or none (9.1; RFC 7692, 5.1).
  private func deflate(_ headers: HTTPHeaders) throws(HandshakeError) -> MessageDeflate? {
    let text = headers["Sec-WebSocket-Extensions"] ?? ""
    guard let chosen = WebSocketExtension.list(in: headers) else { throw .invalidExtensions(text) }
    guard let first = chosen.first else { return nil }
    guard let compression, chosen.count == 1, first.name == DeflateParameters.name else {
      throw .unexpectedExtensions(text)
    }
    guard let answer = DeflateParameters(first.parameters, in: .answer) else {
      throw .invalidExtensions(text)
    }
    return answer.deflate(for: compression, isServer: false)
  }
}
