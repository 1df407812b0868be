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
  /// How long a peer may take none of the bytes that wait to be sent: 30 seconds; nil for any time.
  ///
  /// Then the connection is dropped with ``WebSocketError/writeTimedOut(after:)``. On Linux a byte counts as
  /// taken when the peer's TCP acknowledges it, elsewhere when the system takes it.
  public var writeTimeout: Duration? = .seconds(30)
  /// How a peer that is gone is noticed: by a ping every 20 seconds, and 20 seconds of silence after
  /// one; nil for not at all.
  public var keepalive: WebSocketKeepalive? = .init()
  /// How many bytes may wait to be sent: 1 MiB; positive.
  ///
  /// When more do, ``WebSocket/isWritable`` is false, and `sendWhenWritable` waits, until half of it
  /// has left. `send` passes the mark.
  public var sendHighWaterMark = 1 << 20
  /// The longest message that is taken, in bytes: 16 MiB.
  ///
  /// A longer one closes with 1009. It counts what a compressed message inflates to, while it is
  /// inflated. There is no limit to the number of its fragments: an empty one costs nothing.
  public var messageLimit = 16 << 20
  /// The longest payload of a frame that is sent while other bytes wait to be sent, in bytes: 64 KiB; positive.
  ///
  /// A longer message leaves in fragments, so that pings, pongs and the answer to a close frame can go between
  /// them. Where nothing waits, a message of up to sixteen times that is one frame. Parts of `sendFragments(of:)` are sent as they are.
  public var fragmentSize = 64 << 10
  /// How messages are compressed, if the other side agrees; nil, the default, for not at all.
  public var compression: WebSocketCompression?
  /// How many redirects a client follows: 0, none.
  ///
  /// 301, 302, 303, 307 and 308 are followed, to `ws`, `wss`, `http` (as `ws`) and `https` (as `wss`),
  /// never from `wss` to `ws`. Where scheme, host or port change, the headers go along that tell what
  /// the client is and understands (`User-Agent`, `Accept-Language`, `Origin`); all others, which may
  /// be secrets, are left behind, and so is the client certificate. All of it has `handshakeTimeout` together.
  public var redirectLimit = 0
  /// Through which proxy a client connects: the environment's.
  public var proxy = ProxySetting.environment
  /// Whom a client of `wss` trusts and who it is: the system's authorities, and nobody.
  public var tls = TLSConfiguration()
  /// What makes TLS: OpenSSL, loaded at the first `wss`.
  public var tlsProvider: any TLSProvider = OpenSSL()
  /// Where lines about connecting, connected, closed and errors are written: nowhere.
  ///
  /// Neither headers nor the user, password or query of a URL appear there.
  public var log = WebSocketLog.none
  /// The clock of the timeouts; the system's by default.
  public var scheduler: (any SchedulerType)?

  /// A configuration of these parts.
  public init(headers: HTTPHeaders = [:], subprotocols: [String] = []) {
    self.headers = headers
    self.subprotocols = subprotocols
  }
}

/// Through which proxy a client connects.
public enum ProxySetting: Hashable, Sendable {
  /// The one in `https_proxy` (for `wss`), `http_proxy` (for `ws`) or `all_proxy`, small letters before
  /// capitals, except for what `no_proxy` lists and for this machine itself; none when there is none.
  case environment
  /// None.
  case direct
  /// The HTTP proxy at this URL: `http://user:password@host:3128`.
  case http(String)
}

extension ProxySetting: CustomStringConvertible {
  /// Without the URL, which may have a password in it.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .http: "http"
    }
  }
}
