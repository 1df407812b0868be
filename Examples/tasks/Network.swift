import Synchronization
import Sockets

/// A network that can be unplugged, to show what an app does then.
final class Network: Sendable {
  private struct State {
    var isPlugged: Bool
    var socket: WebSocket?
  }

  private let url: String
  private let state: Mutex<State>

  init(to url: String, isPlugged: Bool = true) {
    self.url = url
    state = Mutex(State(isPlugged: isPlugged))
  }

  /// The server at the other end, to which an app connects again after 50 milliseconds.
  var api: TasksAPI {
    TasksAPI {
      ReconnectingWebSocket(
        connect: { try self.connect() }, strategy: .fixed(.milliseconds(50), maxAttempts: nil))
    }
  }

  var isPlugged: Bool {
    get { state.withLock { $0.isPlugged } }
    set {
      let socket = state.withLock { state in
        state.isPlugged = newValue
        return newValue ? nil : state.socket.take()
      }
      socket?.drop()
    }
  }

  private func connect() throws(WebSocketError) -> WebSocket {
    let socket = WebSocket(url)
    let isPlugged = state.withLock { state in
      if state.isPlugged { state.socket = socket }
      return state.isPlugged
    }
    guard isPlugged else { throw .connectionLost }
    return socket
  }
}
