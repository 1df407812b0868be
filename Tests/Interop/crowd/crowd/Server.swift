import Foundation
import Sockets

/// Holds connections, and executes the driver's commands on `/control`.
final class Server: Sendable {
  private let server: WebSocketServer
  private let end = AsyncStream<Void>.makeStream()

  init() throws {
    var admission = WebSocketAdmission()
    admission.connectionLimit = 20_000
    // All addresses: more connections than one address has ports go to several of 127.0.0.0/8.
    var configuration = WebSocketConfiguration()
    // Clients that offer compression use it.
    configuration.compression = .deflate()
    server = try WebSocketServer(host: "", configuration: configuration, admission: admission)
  }

  func run() async throws {
    _ = server.connections.subscribe(onNext: { [weak self] socket in self?.serve(socket) })
    Crowd.say(server.url)
    for await _ in end.stream { break }
    let dropped = await server.shutDown(within: .seconds(20))
    guard dropped == 0 else { throw Problem("\(dropped) connections did not close in time") }
  }

  private func serve(_ socket: WebSocket) {
    let isControl = socket.request?.path == "/control"
    _ = socket.messages.subscribe(
      onNext: { [weak self, weak socket] message in
        guard isControl, let self, let socket, let command = message.text else { return }
        try? socket.send(answer(command))
      },
      onError: { _ in }
    )
  }

  private func answer(_ command: String) -> String {
    switch command {
    case "heap": return "\(Crowd.heap)"
    case "broadcast 4096":
      let text = String(repeating: "{\"price\": 1234, \"symbol\": \"ACME\"}, ", count: 110)
      let start = ContinuousClock.now
      server.broadcast(.text(String(text.prefix(4_096)))) { $0.request?.path != "/control" }
      return "\((ContinuousClock.now - start) / .microseconds(1))".prefix { $0 != "." } + ""
    case "broadcast":
      let broadcast = server.broadcast(.text("hello")) { $0.request?.path != "/control" }
      return "\(broadcast.sent)"
    case "end":
      end.continuation.finish()
      return "0"
    default: return "-1"
    }
  }
}
