/// How a WebSocket connects, and its time and size limits.
///
/// `redirectLimit`, `proxy` and `tls` apply to clients only.
public struct WebSocketConfiguration: Sendable {
  /// Headers that a client sends with its request, or a server with its answer, after the
  /// handshake's own headers.
  public var headers: HTTPHeaders = [:]
  /// The subprotocols that a client offers, in the order of preference, or that a server supports.
  ///
  /// A server chooses the first one that the client offers too.
  public var subprotocols: [String] = []
  /// The time for name lookup, connection and handshake together: 10 seconds.
  public var handshakeTimeout: Duration = .seconds(10)
  /// The time for the peer to answer a close frame, and then again to end the connection: 5 seconds.
  public var closeTimeout: Duration = .seconds(5)
  /// The longest time in which the peer takes none of the queued bytes: 30 seconds; nil for no
  /// limit.
  ///
  /// After that the connection is dropped with ``WebSocketError/writeTimedOut(after:)``. On Linux a
  /// byte counts as taken when the peer's TCP acknowledges it, elsewhere when the system takes it.
  public var writeTimeout: Duration? = .seconds(30)
  /// How a dead peer is detected; nil for not at all.
  ///
  /// By default a ping is sent every 20 seconds, and the peer is dead after 20 seconds of silence.
  public var keepalive: WebSocketKeepalive? = .init()
  /// How many bytes may be queued for sending: 1 MiB; positive.
  ///
  /// From that on, ``WebSocket/isWritable`` is false and `sendWhenWritable` waits, until no more
  /// than half of the mark is queued. `send` ignores the mark.
  public var sendHighWaterMark = 1 << 20
  /// The longest message that is received, in bytes: 16 MiB.
  ///
  /// A longer one closes with 1009. A compressed message counts with its inflated size, while it is
  /// being inflated. The number of fragments has no limit, since an empty fragment takes no memory.
  public var messageLimit = 16 << 20
  /// The longest payload of a frame that is sent behind queued bytes, in bytes: 64 KiB; positive.
  ///
  /// A longer message is sent in fragments, so that pings, pongs and the answer to a close frame
  /// can go between them. When nothing is queued, a message of up to sixteen times that is one
  /// frame, unless it is compressed and longer than 64 KiB. Parts of `sendFragments(of:)` are sent
  /// as they are.
  public var fragmentSize = 64 << 10
  /// How messages are compressed, if the peer agrees; nil, the default, for no compression.
  public var compression: WebSocketCompression?
  /// How many redirects a client follows: 0, none.
  ///
  /// 301, 302, 303, 307 and 308 are followed, to `ws`, `wss`, `http` (as `ws`) and `https` (as
  /// `wss`), never from `wss` to `ws`. When scheme, host or port change, only the headers
  /// `User-Agent`, `Accept-Language` and `Origin` are sent on. All others may be secrets and are
  /// dropped, and so is the client certificate. All redirects together have `handshakeTimeout`.
  public var redirectLimit = 0
  /// The proxy through which a client connects: the environment's by default.
  public var proxy = ProxySetting.environment
  /// The trusted authorities (the system's), the pins (none) and the own certificate (none) of a
  /// `wss` client.
  public var tls = TLSConfiguration()
  /// The implementation of TLS: OpenSSL, loaded at the first `wss`.
  public var tlsProvider: any TLSProvider = OpenSSL()
  /// The log for lines about connecting, connections, closes and errors: none.
  ///
  /// Headers, and the user, password or query of a URL, do not appear in it.
  public var log = WebSocketLog.none
  /// The clock of the timeouts.
  ///
  /// Nil, the default, is the composer's clock in an effect
  /// `.socket(url, as:)`, and the event loop's otherwise. Name lookup is limited in real time.
  public var scheduler: (any SchedulerType)?
  /// Whether tools that look inside the program see the WebSocket; false for their own.
  package var isTapped = true

  /// Creates a configuration with these headers and subprotocols, and defaults for the rest.
  public init(headers: HTTPHeaders = [:], subprotocols: [String] = []) {
    self.headers = headers
    self.subprotocols = subprotocols
  }
}

/// The choice of the proxy through which a client connects.
public enum ProxySetting: Hashable, Sendable {
  /// The proxy in `https_proxy` (for `wss`), `http_proxy` (for `ws`) or `all_proxy`, if set.
  ///
  /// Lower-case names are read before upper-case ones. Hosts in `no_proxy` and this machine itself
  /// are reached directly.
  case environment
  /// No proxy.
  case direct
  /// The HTTP proxy at this URL: `http://user:password@host:3128`.
  case http(String)
}

extension ProxySetting: CustomStringConvertible {
  /// The name of the case, without the URL, which may contain a password.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .http: "http"
    }
  }
}
