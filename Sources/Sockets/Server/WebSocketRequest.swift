/// The request with which a client connected to a server.
public struct WebSocketRequest: Sendable {
  /// The content in one word: a server keeps a request per connection and rarely reads it.
  private var content: Content

  private enum Content {
    case plain(Bytes)
    /// A request with a context or a certificate, which few have.
    indirect case annotated(Bytes, context: (any Sendable)?, TLSClientCertificate?)
  }

  /// The client and the head in one block of memory.
  private struct Bytes {
    /// The length of the client's form, that form, and the head's.
    private let bytes: [UInt8]

    init(_ head: some Collection<UInt8>, _ remoteClient: RemoteClient?) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(1 + RemoteClient.longestForm + head.count)
      bytes.append(0)
      remoteClient?.append(to: &bytes)
      bytes[0] = UInt8(bytes.count - 1)
      HTTPHeadForm.append(head, to: &bytes)
      // Copied without unused capacity, since the connection keeps them.
      self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
    }

    var remoteClient: RemoteClient? { RemoteClient(form: bytes[1...].prefix(Int(bytes[0]))) }

    var head: [UInt8] { HTTPHeadForm.head(of: bytes.dropFirst(1 + Int(bytes[0]))) }
  }

  private var bytes: Bytes {
    switch content {
    case .plain(let bytes), .annotated(let bytes, _, _): bytes
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
    let target = query.map { "\(path)?\($0)" } ?? path
    self.init(
      HTTPHead.bytes("GET \(target) HTTP/1.1", headers),
      remoteClient: RemoteClient(
        number: 1, peerAddress: peerAddress, address: clientAddress ?? peerAddress),
      certificate: clientCertificate)
  }

  init(
    _ head: some Collection<UInt8>,
    remoteClient: RemoteClient?,
    certificate: TLSClientCertificate? = nil
  ) {
    let bytes = Bytes(head, remoteClient)
    content = certificate.map { .annotated(bytes, context: nil, $0) } ?? .plain(bytes)
  }

  /// The path with its percent encoding; begins with a slash.
  public var path: String { target.path }

  /// The text after the question mark, as sent; nil without a question mark.
  public var query: String? { target.query }

  /// Between the method and the version.
  private var target: HTTPTarget {
    let space = UInt8(ascii: " ")
    let line = bytes.head.prefix { $0 != UInt8(ascii: "\r") }
    let rest = line.drop { $0 != space }.dropFirst()
    return HTTPTarget(bytes: rest[..<(rest.lastIndex(of: space) ?? rest.endIndex)])
  }

  /// All headers of the request; parsed again at each access.
  public var headers: HTTPHeaders {
    // The bytes were parsed before, so this does not fail.
    (try? HTTPHead(parsing: bytes.head))?.headers ?? [:]
  }

  /// The subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] { headers.elements(of: "Sec-WebSocket-Protocol") ?? [] }

  /// The client of the connection; nil for a connection without a server.
  var remoteClient: RemoteClient? { bytes.remoteClient }

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
    request.content = .annotated(bytes, context: context, clientCertificate)
    return request
  }

  /// The verified certificate of the client; nil without one.
  ///
  /// See ``TLSServerConfiguration/clientCertificates``.
  public var clientCertificate: TLSClientCertificate? {
    if case .annotated(_, _, let certificate) = content { certificate } else { nil }
  }
}
