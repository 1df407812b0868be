/// Either side of a WebSocket over an existing transport, a test's or a server's.
extension WebSocket {
  /// The client's side, which `connect()` starts; redirects and proxies are not used.
  ///
  /// - Parameters:
  ///   - transport: not started yet; owned by the WebSocket from now on.
  ///   - url: target of the handshake. A wrong URL is reported by `events` and `states`.
  package static func client(
    over transport: any Transport,
    url: String = "ws://localhost/",
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    let options = SharedOptions(configuration, name: "a client")
    return WebSocket(.client(MaskKeys(systemRandomBytes)), options, on: transport.loop) {
      () throws(WebSocketError) in
      (transport, .client(try Dialer(url, configuration).handshake()))
    }
  }

  /// The server's side, which `connect()` starts.
  ///
  /// - Parameter transport: not started yet; owned by the WebSocket from now on.
  package static func server(
    over transport: any Transport,
    configuration: WebSocketConfiguration = .init()
  ) -> WebSocket {
    WebSocket(.server, SharedOptions(configuration, name: "a client"), on: transport.loop) {
      (transport, .server(RequestLoop(RequestHandler(configuration))))
    }
  }
}
