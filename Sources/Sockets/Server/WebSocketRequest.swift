/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// Who asked, the target and the headers in one piece of memory: a server keeps those of all its
  /// connections, and hardly ever looks at them again.
  private let head: [UInt8]

  init(
    path: String,
    query: String?,
    headers: HTTPHeaders,
    visitor: Visitor? = nil,
    certificate: TLSClientCertificate? = nil
  ) {
    let target = query.map { "\(path)?\($0)" } ?? path
    let lines = HTTPHead(startLine: target, headers: headers).bytes
    let shown = certificate.map { "\t\($0.compact)" } ?? ""
    head = Array("\(visitor?.compact ?? "")\(shown)\r\n".utf8) + lines
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
  private static let tab = UInt8(ascii: "\t")

  /// The line about who asked: a visitor, and a certificate behind a tab.
  private var asker: ArraySlice<UInt8> { head.prefix { $0 != Self.lineEnd } }

  /// All but that line.
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
    Visitor(compact: String(decoding: asker.prefix { $0 != Self.tab }, as: UTF8.self))
  }

  /// The number of the connection, which its lines in the log have too: 1 for a server's first.
  public var connectionNumber: Int { visitor?.number ?? 0 }

  /// Where the connection comes from: the client's address, or that of the last proxy before the server; nil
  /// where there is no network, as in tests.
  public var peerAddress: NetworkAddress? { visitor?.peer }

  /// Where the client is: what ``WebSocketAdmission/proxies`` say, and otherwise `peerAddress`.
  public var clientAddress: NetworkAddress? { visitor?.client }

  /// The certificate by which the client has shown who it is, verified; nil without one: see
  /// ``TLSServerConfiguration/clientCertificates``.
  public var clientCertificate: TLSClientCertificate? {
    let shown = asker.drop { $0 != Self.tab }
    return shown.isEmpty
      ? nil : TLSClientCertificate(compact: String(decoding: shown.dropFirst(), as: UTF8.self))
  }
}
