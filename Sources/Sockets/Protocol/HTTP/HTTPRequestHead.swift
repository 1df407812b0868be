/// The head of a request, well-formed by RFC 9112.
struct HTTPRequestHead: Equatable {
  /// The method, such as `GET`; case matters.
  let method: String
  /// The path with its percent encoding, as sent; begins with a slash, or is `*`.
  let path: String
  /// The text after the question mark, as sent; nil without a question mark.
  let query: String?
  /// 0 for HTTP/1.0, 1 for HTTP/1.1 and higher.
  let minorVersion: Int
  let headers: HTTPHeaders

  init(_ head: HTTPHead) throws(HandshakeRefusal) {
    // One split more than allowed reveals an extra part.
    let parts = Array(head.startLine.utf8).split(
      separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isHTTPToken else {
      throw .badRequest("the request line is not a method, a target and a version")
    }
    method = String(decoding: parts[0], as: UTF8.self)
    guard let minorVersion = HTTPHead.minorVersion(parts[2]) else {
      guard parts[2].starts(with: "HTTP/".utf8), parts[2].count == 8 else {
        throw .badRequest("the request is not one of HTTP")
      }
      throw HandshakeRefusal(status: 505, body: "use HTTP/1.1\n")
    }
    self.minorVersion = minorVersion
    // RFC 9112, section 3.2: a target never has a fragment.
    guard !parts[1].contains(UInt8(ascii: "#")) else {
      throw .badRequest("the target has a fragment")
    }
    guard let (target, authority) = Self.originForm(parts[1], method) else {
      throw .badRequest("the target is neither a path nor a URL")
    }
    let pieces = target.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    path = String(decoding: pieces[0], as: UTF8.self)
    query = pieces.count > 1 ? String(decoding: pieces[1], as: UTF8.self) : nil
    // RFC 9112, section 3.2: HTTP/1.1 requires exactly one Host.
    let hosts = head.headers.values(of: "Host")
    guard hosts.count == 1 || hosts.isEmpty && minorVersion == 0 else {
      throw .badRequest("the request does not have one Host")
    }
    guard hosts.allSatisfy({ HTTPAuthority($0.utf8[...])?.isWellFormed == true }) else {
      throw .badRequest("Host is not a host and a port")
    }
    var headers = head.headers
    // 3.2.2: the host of an absolute target replaces the field, which may differ.
    if let authority { headers["Host"] = String(decoding: authority, as: UTF8.self) }
    self.headers = headers
  }

  /// Path and query of a target, and the authority of an absolute one (RFC 9112, 3.2 and 3.2.2).
  ///
  /// Clients send absolute targets to proxies.
  private static func originForm(
    _ target: ArraySlice<UInt8>, _ method: String
  ) -> (target: ArraySlice<UInt8>, authority: ArraySlice<UInt8>?)? {
    let slash = UInt8(ascii: "/")
    if target.first == slash { return (target, nil) }
    if target.elementsEqual("*".utf8) { return method == "OPTIONS" ? (target, nil) : nil }
    guard let colon = target.firstIndex(of: UInt8(ascii: ":")),
      ["http", "https", "ws", "wss"].contains(where: {
        target[..<colon].equalsIgnoringCase($0.utf8)
      })
    else { return nil }
    let rest = target[(colon + 1)...]
    guard rest.starts(with: "//".utf8) else { return nil }
    let end = rest.dropFirst(2).firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
    // RFC 9110, section 4.2.1: such a URL has a host.
    let text = rest[..<end].dropFirst(2)
    guard let authority = HTTPAuthority(text), authority.isWellFormed, !authority.host.isEmpty
    else { return nil }
    let path = rest[end...]
    return (path.first == slash ? path : [slash] + path, text)
  }

  /// Whether the request is for a WebSocket (RFC 6455, section 4.2.1; RFC 9110, section 7.8).
  var asksForWebSocket: Bool {
    minorVersion == 1 && headers.lists("websocket", in: "Upgrade")
      && headers.lists("Upgrade", in: "Connection")
  }

  /// Whether the client may send another request on the connection (RFC 9112, section 9.3).
  var keepsAlive: Bool {
    if headers.lists("close", in: "Connection") { return false }
    return minorVersion == 1 || headers.lists("keep-alive", in: "Connection")
  }
}
