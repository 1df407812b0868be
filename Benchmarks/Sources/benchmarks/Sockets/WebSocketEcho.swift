import Dispatch
import Reactive
import Sockets

/// A `WebSocket` that talks to an echo server, which by default is on the same event loop.
@MainActor
final class WebSocketEcho {
  private let server: EchoServer?
  private let client: WebSocket
  private let course: EchoCourse<WebSocket>
  private let bag = DisposeBag()

  /// Returns once it is connected.
  ///
  /// - Parameter url: of another server.
  convenience init(_ exchange: Exchange, _ log: LatencyLog?, url: String? = nil) {
    let server = url == nil ? EchoServer() : nil
    self.init(exchange, log, server: server, client: .connected(to: url ?? server?.url ?? ""))
  }

  /// Over TLS, the server with an identity that the client trusts.
  convenience init(_ exchange: Exchange, _ log: LatencyLog?, _ identity: TLSIdentity) {
    let server = EchoServer(identity: identity)
    var configuration = WebSocketConfiguration()
    configuration.tls.authorities = .only(identity.certificateChain)
    self.init(
      exchange, log, server: server,
      client: .connected(to: server.url, configuration: configuration))
  }

  private init(_ exchange: Exchange, _ log: LatencyLog?, server: EchoServer?, client: WebSocket) {
    self.server = server
    self.client = client
    course = EchoCourse(exchange, log) { $0.deliver($1) }
    client.messages
      .subscribe(onNext: { [course, unowned client] in course.receive($0, client) })
      .disposed(by: bag)
  }

  /// Sends that many messages and returns the number of received bytes.
  func run(_ count: Int) -> Int { course.run(count, client) }
}

/// The client's side of an exchange, for every client.
///
/// `run` prepares `state` before it sends, and reads it after `done` was signalled. In between only the
/// event loop's thread accesses it.
final class EchoCourse<Client>: @unchecked Sendable {
  private struct State {
    var total = 0
    var sent = 0
    var received = 0
    var bytes = 0
  }

  private let exchange: Exchange
  private let messages: [WebSocketMessage]
  private let log: LatencyLog?
  private let send: @Sendable (Client, WebSocketMessage) -> Void
  private let done = DispatchSemaphore(value: 0)
  private var state = State()

  init(
    _ exchange: Exchange,
    _ log: LatencyLog?,
    send: @escaping @Sendable (Client, WebSocketMessage) -> Void
  ) {
    self.exchange = exchange
    messages = exchange.messages()
    self.log = log
    self.send = send
  }

  /// Sends the first message; its echo opens the window.
  func run(_ count: Int, _ client: Client) -> Int {
    guard count > 0 else { return 0 }
    state = State(total: count, sent: 1)
    log?.begin(count)
    send(client, messages[0])
    done.waitOrStop("Messages are missing.")
    return state.bytes
  }

  func receive(_ message: WebSocketMessage, _ client: Client) {
    log?.lap()
    require(message == messages[state.received % messages.count], "Not what was sent.")
    state.received += 1
    state.bytes += exchange.bytes
    while state.sent < state.total, state.sent - state.received < exchange.window {
      send(client, messages[state.sent % messages.count])
      state.sent += 1
    }
    if state.received == state.total { done.signal() }
  }
}
