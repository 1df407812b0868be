/// How a WebSocket connects, and what it puts up with.
public struct WebSocketConfiguration: Sendable {
  /// Sent with the request, after the handshake's own headers.
  public var headers: HTTPHeaders = [:]
  /// Offered by a client in the order of preference; supported by a server, which takes the first one
  /// that the client offers too.
  public var subprotocols: [String] = []
  /// How long finding the peer, connecting and the handshake may take together: 10 seconds.
  public var handshakeTimeout: Duration = .seconds(10)
  /// How long the peer may take to answer a close frame and to end the connection: 5 seconds.
  public var closeTimeout: Duration = .seconds(5)
  /// The longest message that is taken, in bytes: 16 MiB.
  ///
  /// A longer one closes with 1009.
  public var messageLimit = 16 << 20
  /// Whom a client of `wss` trusts and who it is: the system's authorities, and nobody.
  public var tls = TLSConfiguration()
  /// What makes TLS: OpenSSL, loaded at the first `wss`.
  public var tlsProvider: any TLSProvider = OpenSSL()
  /// The clock of the timeouts; the system's by default.
  public var scheduler: (any SchedulerType)?

  /// A configuration of these parts.
  public init(headers: HTTPHeaders = [:], subprotocols: [String] = []) {
    self.headers = headers
    self.subprotocols = subprotocols
  }
}
