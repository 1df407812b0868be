#if PEERS
import Dispatch
import FlyingFox
import FlyingSocks
import Foundation

/// FlyingFox's server, one for the process, which echoes its messages.
enum FlyingFoxServer {
  /// The URL of the server, which is started at the first access.
  static let url: String = {
    let port = Port()
    let started = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        let server = HTTPServer(
          address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
        await server.appendRoute("/", to: .webSocket(Echo()))
        let serving = Task { try await server.run() }
        try await server.waitUntilListening()
        if case .ip4(_, let number) = await server.listeningAddress { port.number = number }
        started.signal()
        try await serving.value
      } catch { fatalError("No server of FlyingFox's: \(error)") }
    }
    started.waitOrStop("FlyingFox does not listen.")
    return "ws://127.0.0.1:\(port.number)/"
  }()

  // Written before the signal, read after it.
  private final class Port: @unchecked Sendable { var number: UInt16 = 0 }

  private struct Echo: WSMessageHandler {
    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
      client
    }
  }
}
#endif
