/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// Who asked, the target and the headers in one piece of memory: a server keeps those of all its
  /// connections, and hardly ever looks at them again.
  private let head: [UInt8]

  init(path: String, query: String?, headers: HTTPHeaders, visitor: Visitor? = nil) {
    let target = query.map { "\(path)?\($0)" } ?? path
    let lines = HTTPHead(startLine: target, headers: headers).bytes
    head = Array("\(visitor?.compact ?? "")\r\n".utf8) + lines
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

  /// All but the line about who asked.
  private var lines: ArraySlice<UInt8> { head.drop { $0 != Self.lineEnd }.dropFirst(2) }

  private var target: ArraySlice<UInt8> { lines.prefix { $0 != Self.lineEnd } }

  /// All headers of the request; read anew each time.
  public var headers: HTTPHeaders {
    // Without the last line's end and the empty line behind it. What was read once can be read again.
    (try? HTTPHead(parsing: lines.dropLast(3)))?.headers ?? [:]
  }

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") }

  /// Who asked; nil for a connection of no server.
  var visitor: Visitor? {
    Visitor(compact: String(decoding: head.prefix { $0 != Self.lineEnd }, as: UTF8.self))
  }

  /// The number of the connection, which its lines in the log have too: 1 for a server's first.
  public var connectionNumber: Int { visitor?.number ?? 0 }

  /// Where the connection comes from: the client's address, or that of the last proxy before the server; nil
  /// where there is no network, as in tests.
  public var peerAddress: NetworkAddress? { visitor?.peer }

  /// Where the client is: what ``WebSocketAdmission/proxies`` say, and otherwise `peerAddress`.
  public var clientAddress: NetworkAddress? { visitor?.client }
}
