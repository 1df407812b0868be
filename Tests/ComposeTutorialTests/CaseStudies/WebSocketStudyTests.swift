import ReactiveTesting
import Sockets
import TestSupport
import Testing

// MARK: - Feature

private final class Echo: Composer {
  enum Action {
    case connect, type(String), send, notSent, dismissAlert
    case received(WebSocketMessage), socket(SocketLifecycleEvent)
  }

  struct State: Equatable {
    enum Connection { case disconnected, connecting, connected }

    var connection = Connection.disconnected
    var draft = ""
    var messages: [String] = []
    var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let connect: @Sendable () -> any WebSocketType
  private let socket = SocketHandle()

  init(
    connect: @escaping @Sendable () -> any WebSocketType = {
      WebSocket("wss://echo.websocket.events", configuration: configuration)
    }
  ) { self.connect = connect }

  /// Pings every ten seconds.
  static var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = WebSocketKeepalive(interval: .seconds(10))
    return configuration
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .connect:
      state.connection = state.connection == .disconnected ? .connecting : .disconnected
    case .type(let text): state.draft = text
    case .send:
      defer { state.draft = "" }
      return socket.send(state.draft) { _ in .notSent }
    case .notSent: state.alert = "The message could not be sent. Connect first, and try again."
    case .dismissAlert: state.alert = nil
    case .received(let message): state.messages += [message.text].compactMap(\.self)
    case .socket(.connected):
      state.connection = .connected
      state.messages = []
    case .socket(.disconnected): state.connection = .disconnected
    case .socket(.error), .socket(.waiting), .socket(.undecodable): break
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.connection != .disconnected {
      StateEffect(id: "socket") { [connect, socket] in
        .socket(connect(), handle: socket, received: Action.received, lifecycle: Action.socket)
      }
    }
  }
}

// MARK: - Tests

@Suite("Case study: a web socket", .workerPool)
struct WebSocketStudyTests {
  private let client: MockWebSocket
  private let server: MockWebSocket

  init() { (client, server) = MockWebSocket.pair(isOpen: false) }

  private func connected() -> TestComposer<Echo> {
    let test = TestComposer(Echo { [client] in client })
    test.send(.connect) { $0.connection = .connecting }
    server.connect()
    test.receive(.socket(.connected)) { $0.connection = .connected }
    return test
  }

  @Test func `a socket connects, receives, sends and disconnects`() throws {
    let test = connected()
    try server.send("welcome")
    test.receive(.received(.text("welcome"))) { $0.messages = ["welcome"] }
    test.send(.type("hi")) { $0.draft = "hi" }
    test.send(.send) { $0.draft = "" }
    #expect(server.received == [.text("hi")])
    try server.send("hi")
    test.receive(.received(.text("hi"))) { $0.messages = ["welcome", "hi"] }
    test.send(.connect) { $0.connection = .disconnected }
    #expect(server.state == .disconnected)
    test.finish()
  }

  @Test func `a message without a connection is an alert`() {
    let test = TestComposer(Echo { [client] in client })
    test.send(.type("hi")) { $0.draft = "hi" }
    test.send(.send) { $0.draft = "" }
    let alert = "The message could not be sent. Connect first, and try again."
    test.receive(.notSent) { $0.alert = alert }
    test.send(.dismissAlert) { $0.alert = nil }
    test.finish()
  }

  @Test func `a socket that breaks, or does not connect, is disconnected`() {
    let test = connected()
    client.fail(.connectionLost)
    test.receive(.socket(.error(.connectionLost)))
    test.receive(.socket(.disconnected(code: .abnormal, reason: ""))) {
      $0.connection = .disconnected
    }
    test.finish()
    let (client, _) = MockWebSocket.pair(isOpen: false)
    let refused = TestComposer(Echo { client })
    refused.send(.connect) { $0.connection = .connecting }
    client.fail(.connectionLost)
    refused.receive(.socket(.error(.connectionLost)))
    refused.receive(.socket(.disconnected(code: .abnormal, reason: ""))) {
      $0.connection = .disconnected
    }
    refused.finish()
  }

  @Test func `a connected socket pings every ten seconds`() async throws {
    let time = VirtualTime()
    var configuration = Echo.configuration
    configuration.scheduler = time.scheduler
    let link = WebSocketLink(configuration: configuration)
    let pings = Locked(0)
    let subscription = link.server.frames.filter { $0.opcode == .ping }
      .subscribe(onNext: { _ in pings.withLock { $0 += 1 } }, onError: { _ in })
    link.connect()
    for try await state in link.client.states.values where state == .connected { break }
    let test = TestComposer(Echo { link.client }, in: time)
    test.send(.connect) { $0.connection = .connecting }
    await EventLoop.shared.settle(turns: 20)
    test.receive(.socket(.connected)) { $0.connection = .connected }
    for count in 1...3 {
      test.advance(by: .seconds(10))
      // The ping and its pong.
      await EventLoop.shared.settle(turns: 20)
      #expect(pings.withLock { $0 } == count)
    }
    test.send(.connect) { $0.connection = .disconnected }
    test.finish()
    subscription.dispose()
  }
}
