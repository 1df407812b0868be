/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// The path with its percent encoding; begins with a slash.
  public let path: String
  /// What follows the question mark, as it was sent; nil without one.
  public let query: String?
  /// The headers in one piece of memory: a server keeps those of all its connections, and hardly ever
  /// looks at them again.
  private let head: [UInt8]

  init(path: String, query: String?, headers: HTTPHeaders) {
    self.path = path
    self.query = query
    head = HTTPHead(startLine: "", headers: headers).bytes
  }

  /// All headers of the request; read anew each time.
  public var headers: HTTPHeaders {
    // Without the last line's end and the empty line behind it. What was read once can be read again.
    (try? HTTPHead(parsing: head.dropLast(3)))?.headers ?? [:]
  }

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") }
}
