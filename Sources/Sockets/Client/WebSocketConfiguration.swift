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
  /// A longer one closes with 1009. It counts what a compressed message inflates to, while it is
  /// inflated. There is no limit to the number of its fragments: an empty one costs nothing.
  public var messageLimit = 16 << 20
  /// How messages are compressed, if the other side agrees; nil, the default, for not at all.
  public var compression: WebSocketCompression?
  /// The clock of the timeouts; the system's by default.
  public var scheduler: (any SchedulerType)?

  /// A configuration of these parts.
  public init(headers: HTTPHeaders = [:], subprotocols: [String] = []) {
    self.headers = headers
    self.subprotocols = subprotocols
  }
}
