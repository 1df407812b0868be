import Dispatch
import Reactive
import Sockets

/// A `WebSocket` and a `WebSocketServer`, both on the event loop of the process.
@MainActor
final class WebSocketEcho {
  private let server: WebSocketServer
  private let client: WebSocket
  private let course: Course
  private let bag = DisposeBag()

  /// Returns once they are connected.
  init(_ exchange: Exchange, _ log: LatencyLog?) {
    do { server = try WebSocketServer() } catch { fatalError("No server: \(error)") }
    // On the server's side the subscription is what it took: it ends with the connection.
    server.connections
      .subscribe(onNext: { socket in
        _ = socket.messages.subscribe(onNext: { [unowned socket] in socket.deliver($0) })
      })
      .disposed(by: bag)
    client = WebSocket.connect(to: server.url)
    course = Course(exchange, log)
    let connected = DispatchSemaphore(value: 0)
    client.states
      .subscribe(onNext: { if $0 == .connected { connected.signal() } })
      .disposed(by: bag)
    client.messages
      .subscribe(onNext: { [course, unowned client] in course.receive($0, client) })
      .disposed(by: bag)
    connected.waitOrStop("No connection.")
  }

  /// Sends so many messages and returns how many bytes came back.
  func run(_ count: Int) -> Int { course.run(count, client) }
}

/// The client's side of an exchange.
///
/// `run` prepares `state` before it sends and reads it once `done` was signalled; meanwhile only the
/// event loop's thread touches it.
private final class Course: @unchecked Sendable {
  private struct State {
    var total = 0
    var sent = 0
    var received = 0
    var bytes = 0
  }

  private let exchange: Exchange
  private let log: LatencyLog?
  private let done = DispatchSemaphore(value: 0)
  private var state = State()

  init(_ exchange: Exchange, _ log: LatencyLog?) {
    self.exchange = exchange
    self.log = log
  }

  /// Sends the first message; its echo opens the window.
  func run(_ count: Int, _ client: WebSocket) -> Int {
    guard count > 0 else { return 0 }
    state = State(total: count, sent: 1)
    log?.begin(count)
    client.deliver(exchange[0])
    done.waitOrStop("Messages are missing.")
    return state.bytes
  }

  func receive(_ message: WebSocketMessage, _ client: WebSocket) {
    log?.lap()
    require(message == exchange[state.received], "Not what was sent.")
    state.received += 1
    state.bytes += exchange.bytes
    while state.sent < state.total, state.sent - state.received < exchange.window {
      client.deliver(exchange[state.sent])
      state.sent += 1
    }
    if state.received == state.total { done.signal() }
  }
}

extension WebSocket {
  /// Sends; a benchmark has no use for a connection that is gone.
  fileprivate func deliver(_ message: WebSocketMessage) {
    do { try send(message) } catch { fatalError("Not sent: \(error)") }
  }
}

extension DispatchSemaphore {
  /// Waits, and rather than for ever, fails.
  fileprivate func waitOrStop(_ problem: String) {
    require(wait(timeout: .now() + 30) == .success, problem)
  }
}
