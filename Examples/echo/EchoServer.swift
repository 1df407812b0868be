import Sockets

/// Sends every message back to where it came from.
final class EchoServer: Sendable {
  /// Where it is found.
  var url: String { server.url }

  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  /// Serves on a free port of the loopback address, until it is released.
  init() throws {
    server = try WebSocketServer()
    server.connections
      .flatMap { socket in socket.messages.map { (socket, $0) }.catch { _ in .empty() } }
      // A message of a client that is closing has nowhere to go.
      .subscribe(onNext: { socket, message in try? socket.send(message) })
      .disposed(by: disposeBag)
  }
}
