import NIOCore
import Sockets

/// The server of a channel, by its first request.
public enum WebSocketNegotiation<Value: Sendable>: Sendable {
  /// The WebSocket server serves the channel until its end.
  case webSocket
  /// The HTTP server serves the channel, with the value of its configuration.
  case http(Value)
}

extension ChannelPipeline.SynchronousOperations {
  /// Passes the bytes of the channel to `server`, which serves it as a connection of its own.
  ///
  /// ```swift
  /// let server = try WebSocketServer.withoutListener()
  /// let listener = try await ServerBootstrap(group: group)
  ///   .childChannelOption(.allowRemoteHalfClosure, value: true)
  ///   .childChannelInitializer { channel in
  ///     channel.eventLoop.makeCompletedFuture {
  ///       try channel.pipeline.syncOperations.configureWebSocketPipeline(servedBy: server)
  ///     }
  ///   }
  ///   .bind(host: "::", port: 8080).get()
  /// ```
  ///
  /// The bytes of the pipeline must be plain, beginning with a request for a WebSocket: call this after a
  /// TLS handler was added, if there is one. Remote half closure must be allowed, so that a peer that
  /// ends its direction still receives the server's last bytes.
  ///
  /// While messages wait for their consumers, the channel is not read; when its peer ends the direction, NIO
  /// passes on what the system holds, a few MB at most. While the channel does not take
  /// bytes, at most 256 KiB wait in it, and the WebSocket becomes unwritable by its own high-water mark.
  /// The channel closes when the WebSocket has ended and its bytes are written, after `closeTimeout` at
  /// the latest, and at once when the server is closed. An error of
  /// the channel ends the WebSocket with a ``/Sockets/TransportError``.
  ///
  /// Call it on the channel's event loop. The WebSocket's elements are delivered on the server's.
  ///
  /// - Parameter server: serves the channel; its admission decides
  /// - Throws: an error of NIO when the channel is closed.
  public func configureWebSocketPipeline(servedBy server: WebSocketServer) throws {
    try addHandler(WebSocketConnectionHandler(server))
  }

  /// Serves WebSockets and HTTP on one port: the first request of the channel selects its server.
  ///
  /// ```swift
  /// try channel.pipeline.syncOperations.configureWebSocketNegotiation(with: server) { channel in
  ///   channel.eventLoop.makeCompletedFuture {
  ///     try channel.pipeline.syncOperations.configureHTTPServerPipeline()
  ///     try channel.pipeline.syncOperations.addHandler(HTTPHandler())
  ///   }
  /// }
  /// ```
  ///
  /// A request for a WebSocket goes to `server`, which answers it, so its
  /// ``/Sockets/WebSocketAdmission`` accepts and refuses as on a port of its own. This is why there is no
  /// `HTTPServerProtocolUpgrader`: one can accept a request or leave it to the HTTP server, but cannot
  /// refuse it. Other requests are the HTTP server's, whose handlers receive all bytes.
  ///
  /// As with NIO's upgrades, the first request decides for the whole channel: browsers open a connection
  /// for each WebSocket. Until then the channel closes when the peer ends its direction, and when the
  /// listener quiesces. See `configureWebSocketPipeline(servedBy:)` for a channel with a WebSocket.
  ///
  /// Call it on the channel's event loop, in place of the configuration of HTTP.
  ///
  /// - Parameters:
  ///   - server: serves WebSockets; `WebSocketServer.withoutListener()` has no port of its own
  ///   - timeout: time until the end of the first request's head, after which the channel is closed: 10
  ///     seconds
  ///   - configureHTTP: adds the handlers of the HTTP server; called on the event loop, once at most
  /// - Returns: The server of the channel. It fails with `ChannelError.eof` when the channel closes before
  ///   its first request, and with the error of `configureHTTP`.
  /// - Throws: an error of NIO when the channel is closed.
  @discardableResult
  public func configureWebSocketNegotiation<Value: Sendable>(
    with server: WebSocketServer, timeout: TimeAmount = .seconds(10),
    configureHTTP: @escaping @Sendable (any Channel) -> EventLoopFuture<Value>
  ) throws -> EventLoopFuture<WebSocketNegotiation<Value>> {
    let handler = WebSocketNegotiationHandler(
      server, on: eventLoop, timeout: timeout, configureHTTP: configureHTTP)
    try addHandler(handler)
    return handler.outcome
  }
}
