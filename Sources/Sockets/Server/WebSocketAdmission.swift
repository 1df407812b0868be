/// Whom a server lets in, of those who ask for a WebSocket as RFC 6455 wants it.
///
/// ```swift
/// var admission = WebSocketAdmission()
/// admission.origins = .only(["https://example.com"])
/// admission.decide = { request in
///   request.path == "/chat" ? .accept() : .refuse(status: 404)
/// }
/// let server = try WebSocketServer(admission: admission)
/// ```
public struct WebSocketAdmission: Sendable {
  /// How many connections there are at once, those in their handshake included: 10,000.
  ///
  /// Whoever comes then is refused with 503; when a thousand are being refused, more are dropped
  /// without an answer.
  public var connectionLimit = 10_000

  /// How many bytes of unfinished and undelivered messages all connections hold together: 256 MiB; nil for
  /// any number.
  ///
  /// When they hold more, those that hold most are closed, with 1009 in the middle of a message and with 1013
  /// otherwise, and end with ``WebSocketError/overBudget(limit:)``. A compressed message counts as what
  /// it was inflated to. What waits in a buffer of `observe(on:buffer:)` or `values(buffer:)` is delivered, and
  /// does not count: a connection's buffer holds as many messages as it has room for.
  public var memoryLimit: Int? = 256 << 20

  /// How much one address may do: anything.
  public var addressLimits = AddressLimits()

  /// From which pages of the Web browsers may connect: any.
  public var origins = WebSocketOrigins.any

  /// The proxies whose word about a client's address counts; nil, the default, for nobody's.
  public var proxies: TrustedProxies?

  /// How long the body of a plain HTTP request may be, for `onRequest`: 1 MiB; a longer one is refused with
  /// 413.
  public var bodyLimit = 1 << 20

  /// Asked about a request for a WebSocket.
  public typealias Decide = @Sendable (WebSocketRequest) async throws -> WebSocketDecision

  /// Asked about each request from an origin that is allowed; without it all are accepted.
  ///
  /// Runs on the event loop's thread, so it must not block; it may await what takes time elsewhere. The
  /// client waits meanwhile, for `handshakeTimeout` at most: then, and when the connection breaks, the task
  /// is cancelled. An error that it throws is logged, and the client is refused with 500.
  public var decide: Decide?

  /// 10,000 connections, from anywhere, all accepted.
  public init() {}
}

/// From which pages of the Web browsers may connect (RFC 6455, section 10.2).
///
/// Browsers let every page connect to every server, with the cookies of the server's own users, and
/// say by `Origin` which page it is. A server whose users are known by cookies has to look at that.
public enum WebSocketOrigins: Hashable, Sendable {
  /// All of them.
  case any

  /// Pages of these origins, such as `https://example.com` or `http://localhost:3000`; others are
  /// refused with 403.
  ///
  /// `allowsNone` is for requests without `Origin`: those of programs other than browsers, which
  /// could send any. They are let in, unless it is false.
  case only(Set<String>, allowsNone: Bool = true)

  func allow(_ headers: HTTPHeaders) -> Bool {
    guard case .only(let origins, let allowsNone) = self else { return true }
    let values = headers.values(of: "Origin")
    guard let origin = values.first else { return allowsNone }
    return values.count == 1 && origins.contains { $0.equalsIgnoringCase(origin) }
  }
}

/// A server's answer to a request.
public enum WebSocketDecision: Sendable {
  /// Yes, with this subprotocol, which the client must have offered, and these headers.
  ///
  /// Without one it is the first of the configuration's subprotocols that the client offers, if any. `context` is
  /// what the program has learnt of who asks: the connection has it as ``WebSocketRequest/context``.
  case accept(
    subprotocol: String? = nil, headers: HTTPHeaders = [:], context: (any Sendable)? = nil)

  /// No, with this status of 300 to 599, these headers and this text.
  case refuse(status: Int, headers: HTTPHeaders = [:], body: String = "")
}
