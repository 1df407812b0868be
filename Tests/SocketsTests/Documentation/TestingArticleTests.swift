import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of Testing.md.
@Suite("The article on testing with sockets", .workerPool)
struct TestingArticleTests {
  struct ChatMessage: Codable, Equatable { var text: String }

  final class ChatComposer: Composer {
    enum Action: Equatable { case join, received(ChatMessage) }
    struct State: Equatable { var lines: [String] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable () -> any WebSocketType

    init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join: return .socket(connect(), as: ChatMessage.self) { .received($0) }
      case .received(let message): state.lines.append(message.text)
      }
      return .none
    }
  }

  @Test func `the article's pair exchanges messages`() throws {
    let (client, server) = MockWebSocket.pair()
    try server.send("welcome")
    let bag = DisposeBag()
    client.messages.subscribe(onNext: { try? client.send($0) }).disposed(by: bag)
    #expect(server.received == [.text("welcome")])
    client.close(code: 4_000, reason: "test done")
    #expect(server.state == .disconnected)
  }

  @Test func `the article's pair has a latency`() {
    let time = VirtualTime()
    let (client, server) = MockWebSocket.pair(
      isOpen: false, latency: .milliseconds(50), scheduler: time.scheduler
    )
    client.connect()
    server.connect()
    time.advance(by: .milliseconds(50))
    #expect(client.state == .connected)
  }

  @Test func `messages of the socket become actions`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(ChatComposer(connect: { client }))
    test.send(.join)
    try server.send(#"{"text":"hello"}"#)
    test.receive(.received(ChatMessage(text: "hello"))) { $0.lines = ["hello"] }
    server.close()
    test.finish()
  }

  @Test func `the article's socket reconnects`() {
    let time = VirtualTime()
    let socket = time.run {
      ReconnectingWebSocket(connect: { throw WebSocketError.connectionLost }, strategy: .linear())
    }
    socket.connect()
    time.advance(by: .seconds(3))
    #expect(
      socket.reconnectionState
        == .waitingToReconnect(retry: 3, delay: .seconds(3), error: .connectionLost)
    )
  }

  @Test func `the article's link drops and cuts`() throws {
    let link = WebSocketLink(toServer: .init(pieceSize: 1), toClient: .init(cutAfter: 100))
    link.connect()
    let events = try link.client.events.toBlocking(timeout: 20).toArray()
    #expect(events.first == .error(.handshake(.connectionClosed)))
  }
}
