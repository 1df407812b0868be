/// How a ``CableClient`` connects, and its time and size limits.
public struct CableConfiguration: Sendable {
  /// The options of each WebSocket: headers, TLS, proxy, timeouts, limits, and the cable's clock.
  ///
  /// Its subprotocols are offered after those of ActionCable. Its keepalive is not used, since the
  /// server sends pings itself.
  public var socket: WebSocketConfiguration
  /// The `Origin` header; the server's own origin by default.
  ///
  /// Rails refuses clients without it. An `Origin` among the headers takes precedence.
  public var origin = CableOrigin.server
  /// Whether the client connects again by itself; true by default.
  ///
  /// If false, `connect()` makes one attempt, and a stale connection is closed for good.
  public var reconnects: Bool
  /// The longest random part of the wait after a connection of more than 6 seconds; 2 seconds by
  /// default.
  ///
  /// The client connects again after half a second and this random part, which keeps the clients of
  /// a restarting server from connecting all at once. With nil it waits for the next poll, like the
  /// official client: for 6 to 18 seconds. A stale connection is replaced after half a second,
  /// whatever this value is.
  public var reconnectJitter: Duration? = .seconds(2)
  /// How long a channel waits for an answer to its subscribe; 10 seconds by default.
  ///
  /// The server does not answer a wrong command, such as one for an unknown channel: only this ends
  /// the wait.
  public var subscriptionTimeout: Duration = .seconds(10)
  /// The limit of unconfirmed calls of a connection, of all channels together; 4,096 by default.
  ///
  /// A call is kept so that it can be reported when the connection ends. It is confirmed by the first
  /// message that the server sends a second or more after it has shown that it has read the call; if
  /// the server answers no pings, by a message when the call is 6 seconds old. At the limit, `perform` throws
  /// ``CableError/tooManyUnconfirmed(limit:)``; calls that it took are never dropped. Calls that
  /// were buffered are sent beyond the limit.
  public var unconfirmedCallLimit = 4_096

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - headers: headers of each request, such as `Authorization` or `Cookie`; none by default
  ///   - reconnects: whether it connects again by itself; true by default
  ///   - log: log of the cable and its WebSockets; none by default
  public init(headers: HTTPHeaders = [:], reconnects: Bool = true, log: WebSocketLog = .none) {
    socket = WebSocketConfiguration(headers: headers)
    self.reconnects = reconnects
    self.log = log
  }

  /// The log of the cable and its WebSockets; none by default.
  ///
  /// At `.debug` every command and message is written with its content.
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
  ///
  /// A name may occur more than once.
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
  func webSocketConfiguration(for request: CableRequest) -> WebSocketConfiguration {
    var socket = socket
    socket.keepalive = nil
    for field in request.headers.fields { socket.headers[field.name] = nil }
    for field in request.headers.fields { socket.headers.add(field.name, field.value) }
    // As the official client does: a server of another version can choose the second name, which is
    // reported as `unsupportedProtocol`.
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
