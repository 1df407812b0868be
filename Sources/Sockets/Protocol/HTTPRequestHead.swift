/// The first part of a request, well-formed by RFC 9112.
struct HTTPRequestHead: Equatable {
  /// Such as `GET`; case matters.
  let method: String
  /// The path as it was sent, with its percent encoding; begins with a slash, or is `*`.
  let path: String
  /// What follows the question mark, as it was sent; nil without one.
  let query: String?
  /// 1 for HTTP/1.1, 0 for HTTP/1.0.
  let minorVersion: Int
  let headers: HTTPHeaders

  init(_ head: HTTPHead) throws(HandshakeRefusal) {
    let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, String(parts[0]).isHTTPToken else {
      throw .badRequest("the request line is not a method, a target and a version")
    }
    method = String(parts[0])
    minorVersion = try Self.minorVersion(parts[2])
    guard let target = Self.originForm(parts[1], method) else {
      throw .badRequest("the target is neither a path nor a URL")
    }
    let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(pieces[0])
    query = pieces.count > 1 ? String(pieces[1]) : nil
    headers = head.headers
    // RFC 9112, section 3.2.
    let hosts = headers.values(of: "Host").count
    guard hosts == 1 || hosts == 0 && minorVersion == 0 else {
      throw .badRequest("the request does not have one Host")
    }
  }

  private static func minorVersion(_ version: Substring) throws(HandshakeRefusal) -> Int {
    switch version {
    case "HTTP/1.1": return 1
    case "HTTP/1.0": return 0
    default:
      guard version.hasPrefix("HTTP/"), version.utf8.count == 8 else {
        throw .badRequest("the request is not one of HTTP")
      }
      throw HandshakeRefusal(
        status: 505, reason: "HTTP Version Not Supported", body: "use HTTP/1.1\n")
    }
  }

  /// Path and query of a target: RFC 9112, section 3.2.
  ///
  /// A server takes the absolute form too (3.2.2), which proxies are sent: what stands before the path says
  /// where the request goes, and it has come.
  private static func originForm(_ target: Substring, _ method: String) -> String? {
    if target.hasPrefix("/") { return String(target) }
    if target == "*" { return method == "OPTIONS" ? "*" : nil }
    guard let colon = target.firstIndex(of: ":"),
      ["http", "https", "ws", "wss"].contains(where: {
        String(target[..<colon]).equalsIgnoringCase($0)
      })
    else { return nil }
    let rest = target[target.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    let authority = rest.dropFirst(2)
    guard let end = authority.firstIndex(where: { "/?#".contains($0) }) else {
      return authority.isEmpty ? nil : "/"
    }
    guard end > authority.startIndex else { return nil }
    let path = authority[end...]
    return path.hasPrefix("/") ? String(path) : "/" + path
  }

  /// Whether a WebSocket is asked for (RFC 6455, section 4.2.1; RFC 9110, section 7.8).
  var asksForWebSocket: Bool {
    headers.lists("websocket", in: "Upgrade") && headers.lists("Upgrade", in: "Connection")
      && minorVersion == 1
  }

  /// Whether the client may send another request on the connection (RFC 9112, section 9.3).
  var keepsAlive: Bool {
    if headers.lists("close", in: "Connection") { return false }
    return minorVersion == 1 || headers.lists("keep-alive", in: "Connection")
  }
}
