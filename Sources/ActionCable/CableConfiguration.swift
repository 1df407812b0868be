/// How a ``CableClient`` connects, and its time and size limits.
public struct CableConfiguration: Sendable {
  /// The options of each WebSocket: headers, TLS, proxy, timeouts, limits, and the cable's clock.
  ///
  /// Its subprotocols are offered after those of ActionCable. Its keepalive is not used, since the
  /// server sends pings itself.
  public var socket: WebSocketConfiguration
  /// The `Origin` header, without which Rails refuses clients: the server's own by default.
  public var origin = CableOrigin.server
  /// Whether the client connects again by itself: true.
  ///
  /// If false, `connect()` makes one attempt, and a stale connection is closed for good.
  public var reconnects: Bool
  /// The longest random delay before a connection that lasted for more than 6 seconds is replaced.
  ///
  /// Half a second is added. The delay keeps the clients of a restarting server from connecting all
  /// at once. 2 seconds by default. With nil the client waits for the next poll, like the official
  /// client: for 6 to 18 seconds.
  public var promptReconnect: Duration? = .seconds(2)
  /// How long a channel waits for an answer to its subscribe: 10 seconds.
  ///
  /// The server does not answer a wrong command.
  public var subscriptionTimeout: Duration = .seconds(10)
  /// The limit of unconfirmed calls of a connection, of all channels together: 4096.
  ///
  /// A call is kept until a second after the server has shown that it has read the call, so that
  /// the call can be reported when the connection ends. At the limit, `perform` throws
  /// ``CableError/tooManyUnconfirmed(limit:)``; calls that it took are never dropped. Calls that
  /// were buffered are sent beyond the limit.
  public var unconfirmedLimit = 4_096
  /// Creates a configuration with these headers and this log.
  ///
  /// - Parameters:
  ///   - headers: sent with each request, such as `Authorization` or `Cookie`; none by default.
  ///   - reconnects: whether it connects again by itself.
  ///   - log: none by default.
  public init(headers: HTTPHeaders = [:], reconnects: Bool = true, log: WebSocketLog = .none) {
    socket = WebSocketConfiguration(headers: headers)
    socket.keepalive = nil
    self.reconnects = reconnects
    self.log = log
  }

  /// The log of the cable and its WebSockets: none by default.
  ///
  /// At `.debug` every frame is written with its content.
  public var log: WebSocketLog {
    get { socket.log }
    set { socket.log = newValue }
  }
}

/// The `Origin` header of a client.
public enum CableOrigin: Hashable, Sendable {
  /// The server's own origin: `https://host:port`, without the scheme's default port.
  case server
  /// This origin, such as `https://example.com`; the server must allow it.
  case custom(String)
  /// No header: servers with protection against request forgery answer 404.
  case none
}

/// The URL and headers of one attempt to connect.
public struct CableRequest: Hashable, Sendable {
  /// `ws://host:port/cable?token=...`, or `wss`.
  public var url: String
  /// Headers that are sent besides those of the configuration, and replace those of the same name.
  public var headers: HTTPHeaders

  /// Creates a request for this URL with these headers.
  public init(_ url: String, headers: HTTPHeaders = [:]) {
    (self.url, self.headers) = (url, headers)
  }
}

extension CableConfiguration {
  /// The subprotocol of this client.
  static let subprotocol = "actioncable-v1-json"

  /// The configuration of the WebSocket of one attempt.
  func socket(for request: CableRequest) -> WebSocketConfiguration {
    var socket = socket
    socket.keepalive = nil
    for field in request.headers.fields { socket.headers[field.name] = field.value }
    // With this second name a server of another version reports that, instead of a plain refusal.
    socket.subprotocols = [Self.subprotocol, "actioncable-unsupported"] + socket.subprotocols
    if socket.headers["Origin"] == nil { socket.headers["Origin"] = origin(for: request.url) }
    return socket
  }

  private func origin(for url: String) -> String? {
    switch origin {
    // The WebSocket itself reports a wrong URL.
    case .server:
      (try? WebSocketURL(url)).map { ($0.isSecure ? "https://" : "http://") + $0.authority }
    case .custom(let origin): origin
    case .none: nil
    }
  }
}
