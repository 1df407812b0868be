/// The rules by which a server accepts clients, and the limits of what they may use.
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
  /// The most connections at once, including those in their handshake: 10,000.
  ///
  /// Further clients are refused with 503. While a thousand are being refused, more are dropped
  /// without an answer.
  public var connectionLimit = 10_000

  /// The most bytes of unfinished and undelivered messages that all connections hold together: 256
  /// MiB; nil for no limit.
  ///
  /// Above the limit, the connections that hold most are closed, with 1009 in the middle of a
  /// message and with 1013 otherwise. They end with ``WebSocketError/overBudget(limit:)``. A
  /// compressed message counts with its inflated size. Messages in a buffer of
  /// `observe(on:buffer:)` or `values(buffer:)` count as delivered: the buffer has its own limit.
  public var memoryLimit: Int? = 256 << 20

  /// The limits of each client's address: none by default.
  public var addressLimits = AddressLimits()

  /// The origins of Web pages that may connect: any by default.
  public var origins = WebSocketOrigins.any

  /// The proxies whose headers state a client's address; nil, the default, trusts no header.
  public var proxies: TrustedProxies?

  /// The longest body of a plain HTTP request for `onRequest`, in bytes: 1 MiB; a longer one is
  /// refused with 413.
  public var bodyLimit = 1 << 20

  /// Decides on one request for a WebSocket.
  public typealias Decide = @Sendable (WebSocketRequest) async throws -> WebSocketDecision

  /// Decides on each request from an allowed origin; nil, the default, accepts all.
  ///
  /// It runs on the event loop's thread, so it must not block; it may await work elsewhere. The
  /// client waits meanwhile, for `handshakeTimeout` at most. The task is cancelled at that time,
  /// and when the connection fails. An error that it throws is logged, and the client is refused
  /// with 500.
  public var decide: Decide?

  /// Accepts up to 10,000 connections from any address and any origin.
  public init() {}
}

/// The origins of Web pages from which browsers may connect (RFC 6455, section 10.2).
///
/// A browser lets any page connect to any server, sends the cookies of that server with the
/// request, and names the page in `Origin`. A server that knows its users by cookies has to check
/// the origin.
public enum WebSocketOrigins: Hashable, Sendable {
  /// Pages of all origins.
  case any

  /// Pages of these origins, such as `https://example.com` or `http://localhost:3000`.
  ///
  /// Others are refused with 403. `allowsNone` decides on requests without `Origin`. Those are sent
  /// by programs other than browsers, which could send any origin; they are accepted by default.
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
  /// Accepts, with this subprotocol, which the client must have offered, and these headers.
  ///
  /// Without a subprotocol, the first of the configuration's subprotocols that the client offers is
  /// used, if any. `context` is what the program knows about the client: the connection has it as
  /// ``WebSocketRequest/context``.
  case accept(
    subprotocol: String? = nil, headers: HTTPHeaders = [:], context: (any Sendable)? = nil)

  /// Refuses, with this status (300 to 599), these headers and this text.
  case refuse(status: Int, headers: HTTPHeaders = [:], body: String = "")
}
