import HummingbirdCore
import Logging
import NIOCore
import NIOIntegration
import Sockets

extension HTTPServerBuilder {
  /// HTTP/1.1 of a Hummingbird application, and the WebSockets of a ``/Sockets/WebSocketServer``, on one
  /// port.
  ///
  /// ```swift
  /// let sockets = try WebSocketServer.withoutListener(admission: admission)
  /// let app = Application(router: router, server: .http1(webSockets: sockets))
  /// ```
  ///
  /// A connection whose first request is for a WebSocket is the WebSocket server's, which decides by its
  /// admission; the router does not receive that request. All others are the application's. Wrap the
  /// builder in `.tls(_:tlsConfiguration:)` for `https` and `wss`.
  ///
  /// A graceful shutdown of the application waits for the end of its WebSockets: close them by
  /// `shutDown()` first, as a service group does with a `WebSocketServerService` that is listed behind
  /// the application. A cancelled application closes them without a close frame.
  ///
  /// - Parameters:
  ///   - server: serves the WebSockets
  ///   - configuration: configuration of HTTP/1.1: Hummingbird's
  ///   - timeout: time of a new connection until the end of its first request's head: 10 seconds
  public static func http1(
    webSockets server: WebSocketServer,
    configuration: HTTP1Channel.Configuration = .init(),
    timeout: TimeAmount = .seconds(10)
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      WebSocketChannel(
        server: server, timeout: timeout,
        http: HTTP1Channel(responder: responder, configuration: configuration))
    }
  }
}

/// The child channel of a port for HTTP/1.1 and WebSockets.
struct WebSocketChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let outcome: EventLoopFuture<WebSocketNegotiation<HTTP1Channel.Value>>
  }

  let server: WebSocketServer
  let timeout: TimeAmount
  let http: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let outcome = try channel.pipeline.syncOperations.configureWebSocketNegotiation(
        with: server, timeout: timeout
      ) { [http] channel in http.setup(channel: channel, logger: logger) }
      return Value(channel: channel, outcome: outcome)
    }
  }

  /// Returns when the channel has ended.
  ///
  /// When its task is cancelled, it closes a channel that is not the application's.
  func handle(value: Value, logger: Logger) async {
    do {
      let outcome = try await closingWhenCancelled(value.channel) { try await value.outcome.get() }
      switch outcome {
      case .http(let channel): await http.handle(value: channel, logger: logger)
      case .webSocket:
        try await closingWhenCancelled(value.channel) {
          try await value.channel.closeFuture.get()
        }
      }
    } catch {
      logger.trace("the channel ended before its first request", metadata: ["error": "\(error)"])
    }
  }

  private func closingWhenCancelled<Result: Sendable>(
    _ channel: any Channel, _ body: () async throws -> Result
  ) async throws -> Result {
    try await withTaskCancellationHandler(operation: body) { channel.close(promise: nil) }
  }
}
