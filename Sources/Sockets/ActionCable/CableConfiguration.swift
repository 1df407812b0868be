/// How a ``CableClient`` connects, and what it puts up with.
public struct CableConfiguration: Sendable {
  /// How each of its WebSockets connects: headers, TLS, proxy, timeouts, limits, and the clock of all.
  ///
  /// Its subprotocols are offered behind those of ActionCable. It has no keepalive: the server's own pings
  /// tell that it is there.
  public var socket: WebSocketConfiguration
  /// The `Origin` header, without which Rails lets nobody in: the server's own by default.
  public var origin = CableOrigin.server
  /// Whether it connects again by itself: true.
  ///
  /// Otherwise `connect()` is one attempt, and a connection that is stale is closed for good.
  public var reconnects: Bool
  /// How soon it connects again after it has lost a connection that was good for 6 seconds: after half a
  /// second and a random time up to this, so that a server that restarts is not met by all at once.
  ///
  /// 2 seconds by default. With nil it waits for the next look at the connection, as the official client
  /// does: for 6 to 18 seconds.
  public var promptReconnect: Duration? = .seconds(2)
  /// How long a channel may go without an answer to its subscribe: 10 seconds.
  ///
  /// The server answers no mistake but with silence.
  public var subscriptionTimeout: Duration = .seconds(10)
  /// How many calls of a connection may be unconfirmed: 4096, of all channels together.
  ///
  /// A call is kept until the server has shown that it has read it, a round trip and a second later, so that it can
  /// be reported when the connection ends. While this many are kept, `perform` throws
  /// ``CableError/tooManyUnconfirmed(limit:)``; what it has taken is never dropped. Calls that were buffered are sent
  /// past the limit.
  public var unconfirmedLimit = 4_096
  /// A configuration with these headers, and a log.
  ///
  /// - Parameters:
  ///   - headers: sent with each request, such as `Authorization` or `Cookie`; none by default.
  ///   - reconnects: whether it connects again by itself.
  ///   - log: where it writes what happens; nowhere by default.
  public init(headers: HTTPHeaders = [:], reconnects: Bool = true, log: WebSocketLog = .none) {
    socket = WebSocketConfiguration(headers: headers)
    socket.keepalive = nil
    self.reconnects = reconnects
    self.log = log
  }

  /// Where the cable and its WebSockets write what happens: nowhere by default.
  ///
  /// At `.debug` every frame is written, with what is in it.
  public var log: WebSocketLog {
    get { socket.log }
    set { socket.log = newValue }
  }
}

/// What a client says it comes from.
public enum CableOrigin: Hashable, Sendable {
  /// The server itself: `https://host:port`, without a port that is the scheme's own.
  case server
  /// This one, such as `https://example.com`; the server must allow it.
  case custom(String)
  /// Nothing: servers with protection against forgery answer 404.
  case none
}

/// Where a client connects to, and with what; made anew for each attempt.
public struct CableRequest: Hashable, Sendable {
  /// `ws://host:port/cable?token=...`, or `wss`.
  public var url: String
  /// Sent besides those of the configuration, which they replace.
  public var headers: HTTPHeaders

  /// A request for this URL with these headers.
  public init(_ url: String, headers: HTTPHeaders = [:]) {
    (self.url, self.headers) = (url, headers)
  }
}

extension CableConfiguration {
  /// The subprotocol that this client speaks.
  static let subprotocol = "actioncable-v1-json"

  /// How the WebSocket of one attempt connects.
  func socket(for request: CableRequest) -> WebSocketConfiguration {
    var socket = socket
    socket.keepalive = nil
    for field in request.headers.fields { socket.headers[field.name] = field.value }
    // A server that speaks no version of ours says so, instead of refusing without a reason.
    socket.subprotocols = [Self.subprotocol, "actioncable-unsupported"] + socket.subprotocols
    if socket.headers["Origin"] == nil { socket.headers["Origin"] = origin(for: request.url) }
    return socket
  }

  private func origin(for url: String) -> String? {
    switch origin {
    // A wrong URL is the WebSocket's to complain of.
    case .server:
      (try? WebSocketURL(url)).map { ($0.isSecure ? "https://" : "http://") + $0.authority }
    case .custom(let origin): origin
    case .none: nil
    }
  }
}
