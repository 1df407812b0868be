@testable import Sockets

extension OpeningHandshake {
  /// A server's handshake that accepts every client.
  static func server(_ configuration: WebSocketConfiguration) -> Self {
    .server(RequestLoop(RequestHandler(configuration)))
  }
}
