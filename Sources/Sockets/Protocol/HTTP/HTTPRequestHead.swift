/// The head of a request, well-formed by RFC 9112.
///
/// Its target is a path; one that was a URL is rewritten.
struct HTTPRequestHead {
  private let head: HTTPHead
  /// The request line's first two parts, in its bytes.
  private let methodLength: Int
  private let targetLength: Int
  /// 0 for HTTP/1.0, 1 for HTTP/1.1 and higher.
  let minorVersion: Int

  var headers: HTTPHeaders { head.headers }

  /// The bytes of the head, with the empty line that ends it.
  var bytes: ArraySlice<UInt8> { head.bytes }

  /// The method, such as `GET`; case matters.
  var method: String { String(decoding: methodBytes, as: UTF8.self) }
  var methodBytes: ArraySlice<UInt8> { head.startLine.prefix(methodLength) }

  /// The path and the query with their percent encoding, as sent; begins with a slash, or is `*`.
  var target: HTTPTarget {
    HTTPTarget(bytes: head.startLine.dropFirst(methodLength + 1).prefix(targetLength))
  }

  var path: String { target.path }
  var query: String? { target.query }

  init(_ head: HTTPHead) throws(HandshakeRefusal) {
    let line = head.startLine
    let space = UInt8(ascii: " ")
    let method = line.prefix { $0 != space }
    let target = line[method.endIndex...].dropFirst().prefix { $0 != space }
    let version = line[target.endIndex...].dropFirst()
    guard method.isHTTPToken, target.endIndex < line.endIndex, !version.contains(space) else {
      throw .badRequest("the request line is not a method, a target and a version")
    }
    guard let minorVersion = HTTPHead.minorVersion(version) else {
      guard version.starts(with: "HTTP/".utf8), version.count == 8 else {
        throw .badRequest("the request is not one of HTTP")
      }
      throw HandshakeRefusal(status: 505, body: "use HTTP/1.1\n")
    }
    // RFC 9112, section 3.2: a target never has a fragment.
    guard !target.contains(UInt8(ascii: "#")) else {
      throw .badRequest("the target has a fragment")
    }
    let url = target.first == UInt8(ascii: "/") ? nil : AbsoluteTarget(target)
    guard
      url != nil || target.first == UInt8(ascii: "/")
        || target.elementsEqual("*".utf8) && method.elementsEqual("OPTIONS".utf8)
    else { throw .badRequest("the target is neither a path nor a URL") }
    // RFC 9112, section 3.2: HTTP/1.1 requires exactly one Host.
    let host = head.headers.onlyValue(of: "Host")
    guard host != nil || minorVersion == 0 && !head.headers.has("Host") else {
      throw .badRequest("the request does not have one Host")
    }
    guard host.map({ HTTPAuthority($0)?.isWellFormed == true }) ?? true else {
      throw .badRequest("Host is not a host and a port")
    }
    (methodLength, self.minorVersion) = (method.count, minorVersion)
    (self.head, targetLength) =
      if let url { try Self.rewritten(head, method, url, version) } else { (head, target.count) }
  }

  /// The head with a path as its target, and the length of that path.
  ///
  /// 3.2.2: the host of an absolute target replaces the field, which may differ.
  private static func rewritten(
    _ head: HTTPHead, _ method: ArraySlice<UInt8>, _ url: AbsoluteTarget,
    _ version: ArraySlice<UInt8>
  ) throws(HandshakeRefusal) -> (HTTPHead, Int) {
    var headers = head.headers
    headers["Host"] = String(decoding: url.authority, as: UTF8.self)
    let line = [method, url.path, version].map { String(decoding: $0, as: UTF8.self) }
    do throws(HandshakeError) {
      let bytes = HTTPHead.bytes(line.joined(separator: " "), headers)
      return (try HTTPHead(parsing: bytes), url.path.count)
    } catch {
      throw .badRequest("\(error)")
    }
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

/// A path and a query with their percent encoding.
struct HTTPTarget {
  let bytes: ArraySlice<UInt8>

  /// Begins with a slash, or is `*`.
  var path: String { String(decoding: bytes.prefix { $0 != Self.questionMark }, as: UTF8.self) }

  /// The text after the question mark; nil without a question mark.
  var query: String? {
    let query = bytes.drop { $0 != Self.questionMark }
    return query.isEmpty ? nil : String(decoding: query.dropFirst(), as: UTF8.self)
  }

  private static let questionMark = UInt8(ascii: "?")
}

/// A target that is a URL, as clients send it to proxies (RFC 9112, section 3.2.2).
private struct AbsoluteTarget {
  let authority: ArraySlice<UInt8>
  /// Path and query; begins with a slash.
  let path: ArraySlice<UInt8>

  init?(_ target: ArraySlice<UInt8>) {
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
    self.authority = text
    self.path = path.first == UInt8(ascii: "/") ? path : [UInt8(ascii: "/")] + path
  }
}
