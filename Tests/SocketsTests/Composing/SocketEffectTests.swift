import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A socket as an effect", .workerPool)
struct SocketEffectTests {
  struct Line: Codable, Equatable { var text: String }

  final class Chat: Composer, EffectFailureHandling {
    enum Action: Equatable {
      case join, leave, say(String), show(Line)
      case received(Line), chat(SocketLifecycleEvent), sent, notSent(String)
    }
    struct State: Equatable {
      var lines: [String] = []
      var isLive = false
      var problem: String?
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable () -> any WebSocketType
    private let reportsLifecycle: Bool
    private let socket = SocketHandle()

    init(reportsLifecycle: Bool = true, connect: @escaping @Sendable () -> any WebSocketType) {
      (self.connect, self.reportsLifecycle) = (connect, reportsLifecycle)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join:
        let lifecycle: (@Sendable (SocketLifecycleEvent) -> Action)? =
          reportsLifecycle ? Action.chat : nil
        return .socket(
          connect(), as: Line.self, handle: socket, received: { .received($0) },
          lifecycle: lifecycle
        )
        .cancellable(id: "chat")
      case .leave: return .cancel(id: "chat")
      case .say(let text): return socket.send(text, sent: .sent) { .notSent("\($0)") }
      case .show(let line): return socket.send(json: line, sent: .sent) { .notSent("\($0)") }
      case .received(let line): state.lines.append(line.text)
      case .chat(.connected): state.isLive = true
      case .chat(.waiting), .chat(.disconnected): state.isLive = false
      case .chat(.error(let error)): state.problem = "\(error)"
      case .chat(.undecodable(let message, _)): state.problem = "not a line: \(message.text ?? "")"
      case .sent: break
      case .notSent(let problem): state.problem = problem
      }
      return .none
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      .send(.notSent("uncaught: \(failure.error)"))
    }
  }

  private let closed = SocketLifecycleEvent.disconnected(code: .abnormal, reason: "")

  @Test func `messages, connection events and the end of a socket are actions`() throws {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let test = TestComposer(Chat { client })
    test.send(.join)
    #expect(client.state == .connecting)
    server.connect()
    test.receive(.chat(.connected)) { $0.isLive = true }
    try server.send(#"{"text":"a"}"#)
    test.receive(.received(Line(text: "a"))) { $0.lines = ["a"] }
    server.close(code: 4_000, reason: "bye")
    test.receive(.chat(.disconnected(code: 4_000, reason: "bye"))) { $0.isLive = false }
    test.finish()
  }

  @Test func `cancelling the effect closes the socket with 1001, also while it connects`() throws {
    for isOpen in [true, false] {
      let (client, server) = MockWebSocket.pair(isOpen: isOpen)
      let test = TestComposer(Chat { client }, exhaustivity: .off)
      test.send(.join)
      #expect(client.state == (isOpen ? .connected : .connecting))
      test.send(.leave)
      #expect(client.state == .disconnected && server.state == .disconnected)
      if isOpen {
        let end = try server.events.toBlocking().last()
        #expect(end == .disconnected(code: .goingAway, reason: ""))
      }
      test.finish()
    }
  }

  @Test func `the end of the composer closes the socket of its effect`() {
    let (client, server) = MockWebSocket.pair()
    let time = VirtualTime()
    var chat: Composed<Chat.State, Chat.Action>? = Composed(
      sending: Chat { client }, on: .virtual(time))
    chat?.send(.join)
    time.settle()
    #expect(client.state == .connected)
    chat = nil
    #expect(server.state == .disconnected)
  }

  @Test func `an error of the socket is an action, and no action follows the end`() {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Chat { client })
    test.send(.join)
    test.receive(.chat(.connected)) { $0.isLive = true }
    client.fail(.transport(.reset))
    test.receive(.chat(.error(.transport(.reset)))) {
      $0.problem = "the peer reset the connection"
    }
    test.receive(.chat(closed)) { $0.isLive = false }
    #expect(server.state == .disconnected)
    test.finish()
  }

  @Test func `without a lifecycle a socket error goes to the composer, and a close is silent`() {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Chat(reportsLifecycle: false) { client })
    test.send(.join)
    client.fail(.connectionLost)
    let problem = "uncaught: \(WebSocketError.connectionLost)"
    test.receive(.notSent(problem)) { $0.problem = problem }
    #expect(test.running.isEmpty && server.state == .disconnected)
    test.finish()
    let (other, peer) = MockWebSocket.pair()
    let quiet = TestComposer(Chat(reportsLifecycle: false) { other })
    quiet.send(.join)
    peer.close()
    quiet.finish()
  }

  @Test func `a message that cannot be decoded is an action, and the stream continues`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Chat { client }, exhaustivity: .off)
    test.send(.join)
    try server.send("what?")
    try server.send(#"{"text":"a"}"#)
    test.receive(.received(Line(text: "a"))) { $0.lines = ["a"] }
    #expect(test.state.problem == "not a line: what?")
    #expect(server.state == .connected)
  }

  @Test func `without a lifecycle a message that cannot be decoded fails the effect`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Chat(reportsLifecycle: false) { client }, exhaustivity: .off)
    test.send(.join)
    try server.send("what?")
    test.settle()
    #expect(test.state.problem?.hasPrefix("uncaught: ") == true)
    #expect(server.state == .disconnected)
  }

  // MARK: Sending

  @Test func `T08: sent messages and failed sends are actions`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Chat(reportsLifecycle: false) { client })
    let problem = "\(WebSocketError.notConnected(.disconnected))"
    test.send(.say("early"))
    test.receive(.notSent(problem)) { $0.problem = problem }
    test.send(.join)
    test.send(.say("hello"))
    test.receive(.sent)
    test.send(.show(Line(text: "hi")))
    test.receive(.sent)
    #expect(server.received == [.text("hello"), .text(#"{"text":"hi"}"#)])
    server.close()
    test.send(.show(Line(text: "late")))
    test.receive(.notSent(problem))
    test.finish()
  }

  @Test func `a message that cannot be encoded is an action with the error`() throws {
    struct Endless: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Double.infinity)
      }
    }
    let (client, server) = MockWebSocket.pair()
    let handle = SocketHandle()
    handle.attach(client)
    let effect: Observable<Effect<String>> = handle.send(json: Endless()) {
      $0 is WebSocketMessageError ? "not encodable" : "\($0)"
    }
    #expect(try effect.toBlocking().toArray().map(\.action) == ["not encodable"])
    #expect(server.received.isEmpty)
  }

  @Test func `a handle sends to the socket that was opened last, and closes it`() throws {
    let (first, second) = (MockWebSocket.pair(), MockWebSocket.pair())
    let handle = SocketHandle()
    #expect(handle.state == .disconnected)
    handle.attach(first.client)
    handle.attach(second.client)
    handle.detach(first.client)
    let sending: Observable<Effect<Never>> = handle.send("hello")
    _ = try sending.toBlocking().toArray()
    #expect(second.server.received == [.text("hello")])
    let closing: Observable<Effect<Never>> = handle.close(code: 4_000)
    _ = try closing.toBlocking().toArray()
    #expect(second.server.state == .disconnected && first.server.state == .connected)
  }

  // MARK: Other sockets and clocks

  final class Rooms: Composer {
    enum Action: Equatable { case enter(String?), received(String) }
    struct State: Equatable { var room: String?, texts: [String] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable (String) async throws -> any WebSocketType

    init(_ connect: @escaping @Sendable (String) async throws -> any WebSocketType) {
      self.connect = connect
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .enter(let room): state.room = room
      case .received(let text): state.texts.append(text)
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if let room = state.room {
        StateEffect(id: room) { [connect] in
          .socket(
            ReconnectingWebSocket(
              connect: { try await connect(room) }, strategy: .fixed(.seconds(3)))
          ) { .received($0.text ?? "") }
        }
      }
    }
  }

  @Test func `a state opens and closes a socket, which reconnects on the composer's clock`() throws
  {
    let peers = Locked<[String: [MockWebSocket]]>([:])
    let test = TestComposer(
      Rooms { room in
        let (client, server) = MockWebSocket.pair()
        peers.withLock { $0[room, default: []].append(server) }
        return client
      })
    func peer(_ room: String) throws -> MockWebSocket {
      try #require(peers.withLock { $0[room]?.last })
    }
    test.send(.enter("a")) { $0.room = "a" }
    try peer("a").send("one")
    test.receive(.received("one")) { $0.texts = ["one"] }
    try peer("a").fail(.connectionLost)
    test.advance(by: .milliseconds(2_999))
    #expect(peers.withLock { $0["a"]?.count } == 1)
    test.advance(by: .milliseconds(1))
    try peer("a").send("two")
    test.receive(.received("two")) { $0.texts = ["one", "two"] }
    test.send(.enter("b")) { $0.room = "b" }
    #expect(try peer("a").state == .disconnected && peer("b").state == .connected)
    test.send(.enter(nil)) { $0.room = nil }
    #expect(try peer("b").state == .disconnected)
    test.finish()
  }

  final class Caller: Composer {
    enum Action {
      case call(String), received(SocketEffectTests.Line), lifecycle(SocketLifecycleEvent)
    }
    struct State { var lifecycles: [SocketLifecycleEvent] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .call(let url):
        return .socket(url, as: Line.self) {
          .received($0)
        } lifecycle: {
          .lifecycle($0)
        }
      case .received: break
      case .lifecycle(let lifecycle): state.lifecycles.append(lifecycle)
      }
      return .none
    }
  }

  @Test func `the deadlines of a URL's socket follow the composer's clock`() async throws {
    let raw = try RawServer()
    let time = VirtualTime()
    let composed = Composed(sending: Caller(), on: .virtual(time))
    composed.send(.call(raw.url))
    time.settle()
    _ = await raw.peerWithRequest()
    time.advance(by: .seconds(10))
    let lifecycles = Watched<[SocketLifecycleEvent]>([])
    let subscription = composed.states.map(\.lifecycles)
      .subscribe(onNext: { new in lifecycles.update { $0 = new } })
    defer { subscription.dispose() }
    for _ in 0..<100_000 where lifecycles.value.count < 2 {
      await EventLoop.shared.settle()
      time.settle()
    }
    #expect(
      lifecycles.value == [
        .error(.handshakeTimedOut(after: .seconds(10))),
        .disconnected(code: .abnormal, reason: ""),
      ])
  }
}
