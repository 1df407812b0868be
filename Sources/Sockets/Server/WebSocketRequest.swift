/// What a client asked for when it connected to a server.
public struct WebSocketRequest: Sendable {
  /// One word: a server keeps the requests of all its connections, and hardly ever looks at them again.
  private var content: Content

  private enum Content {
    case head([UInt8])
    /// Few have a context.
    case inContext(Contextual)
  }

  private final class Contextual: Sendable {
    let head: [UInt8]
    let context: any Sendable

    init(_ head: [UInt8], _ context: any Sendable) { (self.head, self.context) = (head, context) }
  }

  /// Who asked, the target and the headers in one piece of memory.
  private var head: [UInt8] {
    switch content {
    case .head(let head): head
    case .inContext(let contextual): contextual.head
    }
  }

  /// A request as a server makes it of what was sent; for tests of `decide`.
  ///
  /// - Parameters:
  ///   - path: The path with its percent encoding.
  ///   - query: What follows the question mark; nil, the default, without one.
  ///   - headers: All of them; none by default.
  ///   - peerAddress: Where the connection comes from.
  ///   - clientAddress: Where the client is, when that is somewhere else.
  ///   - clientCertificate: What the client has shown.
  public init(
    path: String,
    query: String? = nil,
    headers: HTTPHeaders = [:],
    peerAddress: NetworkAddress? = nil,
    clientAddress: NetworkAddress? = nil,
    clientCertificate: TLSClientCertificate? = nil
  ) {
    let visitor = Visitor(1, peerAddress, client: clientAddress ?? peerAddress)
    self.init(
      path: path, query: query, headers: headers, visitor: visitor, certificate: clientCertificate)
  }

  init(
    path: String,
    query: String?,
    headers: HTTPHeaders,
    visitor: Visitor?,
    certificate: TLSClientCertificate? = nil
  ) {
    let target = query.map { "\(path)?\($0)" } ?? path
    let lines = HTTPHead(startLine: target, headers: headers).bytes
    let shown = certificate.map { "\t\($0.compact)" } ?? ""
    content = .head(Array("\(visitor?.compact ?? "")\(shown)\r\n".utf8) + lines)
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

  /// What `decide` has learnt of who asked, such as the user that a token stands for: what it has returned with
  /// `accept`; nil without that.
  ///
  /// ```swift
  /// admission.decide = { request in
  ///   guard let user = try await users.find(request.headers["Authorization"]) else {
  ///     return .refuse(status: 401)
  ///   }
  ///   return .accept(context: user)
  /// }
  /// // and later
  /// let user = socket.request?.context as? User
  /// ```
  public var context: (any Sendable)? {
    if case .inContext(let contextual) = content { contextual.context } else { nil }
  }

  /// The same request with this context, in the place of any other.
  func with(_ context: (any Sendable)?) -> Self {
    var request = self
    request.content = context.map { .inContext(Contextual(head, $0)) } ?? .head(head)
    return request
  }

  /// The certificate by which the client has shown who it is, verified; nil without one: see
  /// ``TLSServerConfiguration/clientCertificates``.
  public var clientCertificate: TLSClientCertificate? {
    let shown = asker.drop { $0 != Self.tab }
    return shown.isEmpty
      ? nil : TLSClientCertificate(compact: String(decoding: shown.dropFirst(), as: UTF8.self))
  }
}
