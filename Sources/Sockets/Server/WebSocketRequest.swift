/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// The target and the headers in one piece of memory: a server keeps those of all its connections,
  /// and hardly ever looks at them again.
  private let head: [UInt8]

  init(path: String, query: String?, headers: HTTPHeaders) {
    let target = query.map { "\(path)?\($0)" } ?? path
    head = HTTPHead(startLine: target, headers: headers).bytes
  }

  /// The path with its percent encoding; begins with a slash.
  public var path: String {
    String(decoding: target.prefix { $0 != Self.questionMark }, as: UTF8.self)
  }

  /// What follows the question mark, as it was sent; nil without one.
  public var query: String? {
    let query = target.drop { $0 != Self.questionMark }
    return query.isEmpty ? nil : String(decoding: query.dropFirst(), as: UTF8.self)
  }

  private static let questionMark = UInt8(ascii: "?")
  private static let lineEnd = UInt8(ascii: "\r")

  private var target: ArraySlice<UInt8> { head.prefix { $0 != Self.lineEnd } }

  /// All headers of the request; read anew each time.
  public var headers: HTTPHeaders {
    // Without the last line's end and the empty line behind it. What was read once can be read again.
    (try? HTTPHead(parsing: head.dropLast(3)))?.headers ?? [:]
  }

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") }
}
