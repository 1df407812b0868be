import ServiceLifecycle
import Sockets

/// A WebSocket server as a service, which shuts down gracefully.
///
/// ```swift
/// let server = try WebSocketServer(host: "", port: 8080)
/// let group = ServiceGroup(
///   services: [WebSocketServerService(server)], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// On a graceful shutdown it closes all connections by `shutDown(within:spreadOver:code:reason:)` of the
/// server, and returns when they have ended. When its task is cancelled it drops them at once.
///
/// A service group shuts its services down in the reverse order. List the server behind the services that
/// its connections use, such as a composer's or a database's, and behind an HTTP server that shares its
/// port and waits for the end of its connections.
public struct WebSocketServerService: Service {
  private let server: WebSocketServer
  private let limit: Duration
  private let spread: Duration
  private let code: CloseCode
  private let reason: String
  private let onShutDown: (@Sendable (Int) -> Void)?

  /// A service of a server, which listens already.
  ///
  /// - Parameters:
  ///   - server: server that the service shuts down
  ///   - limit: time to wait for clients after the last close: 10 seconds. The service group must wait
  ///     longer (`maximumGracefulShutdownDuration`).
  ///   - spread: time over which connections are closed: zero
  ///   - code: close code: 1001, going away; with 1012, `serviceRestart`, clients reconnect
  ///   - reason: text for logs of the peers
  ///   - onShutDown: called after a shutdown with the number of connections that were dropped
  public init(
    _ server: WebSocketServer, within limit: Duration = .seconds(10),
    spreadOver spread: Duration = .zero, code: CloseCode = .goingAway, reason: String = "",
    onShutDown: (@Sendable (Int) -> Void)? = nil
  ) {
    self.server = server
    self.limit = limit
    self.spread = spread
    self.code = code
    self.reason = reason
    self.onShutDown = onShutDown
  }

  /// Returns when all connections have ended, after a graceful shutdown or a cancellation of its task.
  public func run() async {
    // It throws when the task is cancelled: `shutDown` then drops the connections.
    try? await gracefulShutdown()
    let dropped = await server.shutDown(
      within: limit, spreadOver: spread, code: code, reason: reason)
    onShutDown?(dropped)
  }
}
