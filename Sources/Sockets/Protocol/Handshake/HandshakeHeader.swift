/// The headers that the handshake sets, which a program may not.
enum HandshakeHeader {
  static let names = [
    "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
    "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions",
  ]

  /// Throws if a field would break the head, or contradict the handshake.
  static func check(_ headers: HTTPHeaders) throws(HandshakeError) {
    if headers.isEmpty { return }
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
