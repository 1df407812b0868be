/// A small WebSocket server for demos, tests and tools, made of the same parts as the client.
///
/// ```swift
/// let server = try WebSocketServer()
/// server.connections.subscribe(onNext: { socket in
///   socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
/// }).disposed(by: bag)
/// print(server.url)
/// ```
///
/// It listens from its first line on; connections that come before the first observer of
/// `connections` are kept for it. It holds its connections until they end, and closes them when it is
/// closed or released. What the configuration limits for a client, it limits here; of its
/// subprotocols the first that the client offers is taken.
public final class WebSocketServer: Sendable {
  /// The port it listens on.
  public let port: UInt16
  /// Where clients find it: `ws://127.0.0.1:8080/`.
  public let url: String

  private let listener: TCPListener
  private let sockets = ServedSockets()

  /// Listens on `host` and `port`.
  ///
  /// - Parameters:
  ///   - host: the address to listen on; the loopback address by default, empty for all of them.
  ///   - port: 0, the default, for any free one.
  ///   - configuration: subprotocols, timeouts, limits.
  /// - Throws: `TransportError`, when the address cannot be had.
  public init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    configuration: WebSocketConfiguration = .init()
  ) throws(TransportError) {
    listener = try TCPListener(host: host, port: port)
    self.port = listener.port
    let name = host.isEmpty ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
    url = "ws://\(name):\(listener.port)/"
    listener.start { [sockets] transport in sockets.accept(transport, configuration) }
  }

  deinit { close() }

  /// Each connection whose handshake is done, on the event loop's thread; completes when the server
  /// is closed.
  ///
  /// The first observer also receives those that came before it, at once, on its own thread.
  public var connections: Observable<WebSocket> {
    Observable(.direct) { [sockets] in
      sockets.connections.add($0, replaysAfterEnd: true)
    }
  }

  /// Stops listening and closes all connections with 1001.
  public func close() {
    listener.close()
    sockets.close(on: listener.loop)
  }
}
