/// A server's refusal of a request: an HTTP answer with a status other than 101.
struct HandshakeRefusal: Error, Equatable {
  var status: Int
  var headers: HTTPHeaders = [:]
  var body = ""

  /// The phrase after the status.
  var reason: String { HTTPStatus.reasons[status] ?? "Refused" }

  /// 400: the request does not conform to RFC 6455 or HTTP; `problem` says how.
  static func badRequest(_ problem: String) -> HandshakeRefusal {
    HandshakeRefusal(status: 400, body: problem + "\n")
  }

  /// 426: the client's version is not 13 (4.4).
  static let upgradeRequired = HandshakeRefusal(
    status: 426, headers: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])

  /// 426: the server accepts WebSockets only (RFC 9110, section 15.5.22).
  static let webSocketRequired = HandshakeRefusal(
    status: 426, headers: upgradeRequired.headers, body: "this is a server of WebSockets\n")

  /// 503: the server has no room for another connection.
  static let atCapacity = HandshakeRefusal(status: 503, body: "too many connections\n")

  /// 503: the server is shutting down.
  static let shuttingDown = HandshakeRefusal(status: 503, body: "the server is shutting down\n")

  /// 503: the program did not answer in time.
  static let tooSlow = HandshakeRefusal(status: 503, body: "the server is too slow\n")

  /// The bytes to write before the transport is closed.
  ///
  /// - Parameter withBody: whether the body is written; the answer to `HEAD` has only its length
  func response(withBody: Bool = true) -> [UInt8] {
    var all = headers
    if !body.isEmpty { all.add("Content-Type", "text/plain; charset=utf-8") }
    all.add("Content-Length", String(body.utf8.count))
    // RFC 9110, section 7.8: a sender of Upgrade also lists it in Connection.
    all.add("Connection", headers["Upgrade"] == nil ? "close" : "upgrade, close")
    let head = HTTPHead.bytes("HTTP/1.1 \(status) \(reason)", all)
    return withBody ? head + body.utf8 : head
  }
}
