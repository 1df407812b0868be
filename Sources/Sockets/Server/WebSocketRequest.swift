/// The request with which a client connected to a server.
public struct WebSocketRequest: Sendable {
  /// The content in one word: a server keeps a request per connection and rarely reads it.
  private var content: Content

  private enum Content {
    case head([UInt8])
    /// A head with a context or a certificate, which few requests have.
    indirect case annotated([UInt8], context: (any Sendable)?, TLSClientCertificate?)
  }

  /// The client, the target and the headers in one block of memory.
  private var head: [UInt8] {
    switch content {
    case .head(let head), .annotated(let head, _, _): head
    }
  }

  /// Makes a request for a test of `decide`.
  ///
  /// - Parameters:
  ///   - path: path with its percent encoding
  ///   - query: text after the question mark; nil by default
  ///   - headers: none by default
  ///   - peerAddress: address of the connection
  ///   - clientAddress: address of the client, if it differs
  ///   - clientCertificate: certificate of the client
  public init(
    path: String,
    query: String? = nil,
    headers: HTTPHeaders = [:],
    peerAddress: NetworkAddress? = nil,
    clientAddress: NetworkAddress? = nil,
    clientCertificate: TLSClientCertificate? = nil
  ) {
    let remoteClient = RemoteClient(
      number: 1, peerAddress: peerAddress, address: clientAddress ?? peerAddress)
    self.init(
      path: path, query: query, headers: headers, remoteClient: remoteClient,
      certificate: clientCertificate)
  }

  init(
    path: String,
    query: String?,
    headers: HTTPHeaders,
    remoteClient: RemoteClient?,
    certificate: TLSClientCertificate? = nil
  ) {
    let target = query.map { "\(path)?\($0)" } ?? path
    let lines = HTTPHead(startLine: target, headers: headers).bytes
    let head = Array("\(remoteClient?.compact ?? "")\r\n".utf8) + lines
    content = certificate.map { .annotated(head, context: nil, $0) } ?? .head(head)
  }

  /// The path with its percent encoding; begins with a slash.
  public var path: String {
    String(decoding: target.prefix { $0 != Self.questionMark }, as: UTF8.self)
  }

  /// The text after the question mark, as sent; nil without a question mark.
  public var query: String? {
    let query = target.drop { $0 != Self.questionMark }
    return query.isEmpty ? nil : String(decoding: query.dropFirst(), as: UTF8.self)
  }

  private static let questionMark = UInt8(ascii: "?")
  private static let lineEnd = UInt8(ascii: "\r")

  /// The lines of the request, without the line about the client.
  private var lines: ArraySlice<UInt8> { head.drop { $0 != Self.lineEnd }.dropFirst(2) }

  private var target: ArraySlice<UInt8> { lines.prefix { $0 != Self.lineEnd } }

  /// All headers of the request; parsed again at each access.
  public var headers: HTTPHeaders {
    // Drops the last LF and the empty line. The bytes were parsed before, so this does not fail.
    (try? HTTPHead(parsing: lines.dropLast(3)))?.headers ?? [:]
  }

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") ?? [] }

  /// The client of the connection; nil for a connection without a server.
  var remoteClient: RemoteClient? {
    RemoteClient(compact: String(decoding: head.prefix { $0 != Self.lineEnd }, as: UTF8.self))
  }

  /// The number of the connection, as in the log: 1 for a server's first.
  public var connectionNumber: Int { remoteClient?.number ?? 0 }

  /// The address of the connection: the client's, or that of the last proxy before the server.
  ///
  /// Nil where there is no network, as in tests.
  public var peerAddress: NetworkAddress? { remoteClient?.peerAddress }

  /// The client's address as ``WebSocketAdmission/proxies`` report it; otherwise `peerAddress`.
  public var clientAddress: NetworkAddress? { remoteClient?.address }

  /// The context that `decide` returned with `accept`, such as the user of a token; nil without
  /// one.
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
    if case .annotated(_, let context, _) = content { context } else { nil }
  }

  /// A copy of the request with this context.
  func with(_ context: (any Sendable)?) -> Self {
    guard context != nil || self.context != nil else { return self }
    var request = self
    request.content = .annotated(head, context: context, clientCertificate)
    return request
  }

  /// The verified certificate of the client; nil without one.
  ///
  /// See ``TLSServerConfiguration/clientCertificates``.
  public var clientCertificate: TLSClientCertificate? {
    if case .annotated(_, _, let certificate) = content { certificate } else { nil }
  }
}
