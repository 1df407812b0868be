import Sockets

/// A server that sends every message back to its sender.
final class EchoServer: Sendable {
  /// The URL of the server.
  var url: String { server.url }

  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  /// Serves on a free port of the loopback address, until the object is released.
  init() throws {
    server = try WebSocketServer()
    server.connections
      .flatMap { socket in socket.messages.map { (socket, $0) }.catch { _ in .empty() } }
      // A client that is closing takes no more messages.
      .subscribe(onNext: { socket, message in try? socket.send(message) })
      .disposed(by: disposeBag)
  }
}
