import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of SocketEffects.md.
@Suite("The article on sockets as effects", .workerPool)
struct SocketEffectsArticleTests {
  struct ChatMessage: Codable, Equatable { var text: String }
  struct Vote: Codable, Equatable { var count: Int }
  struct Count: Codable, Identifiable { var id: Int }
  struct Votes: Codable, Equatable { var id: Int, total: Int }

  final class Chat: Composer {
    enum Action: Equatable {
      case join(String), open(String), leave, sendTapped, vote(Vote), countTapped
      case received(ChatMessage), chat(SocketLifecycleEvent)
      case notSent(WebSocketError), voted, counted(Votes), failed(String)
    }
    struct State: Equatable {
      var lines: [String] = []
      var draft = ""
      var isLive = false
      var problem: String?
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let socket = SocketHandle()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join(let url):
        return .socket(url, as: ChatMessage.self) { .received($0) }
      case .open(let url):
        return .socket(url, as: ChatMessage.self, handle: socket) {
          .received($0)
        } lifecycle: {
          .chat($0)
        }
        .cancellable(id: "chat")
      case .leave:
        return .cancel(id: "chat")
      case .sendTapped:
        defer { state.draft = "" }
        return socket.send(state.draft) { .notSent($0) }
      case .vote(let vote):
        return socket.send(json: vote, sent: .voted) { .failed("\($0)") }
      case .countTapped:
        return socket.request(Count(id: 1), as: Votes.self, matching: \.id) {
          .counted($0)
        } failed: {
          .failed("\($0)")
        }
      case .counted(let votes): state.lines.append("\(votes.total) votes")
      case .received(let message): state.lines.append(message.text)
      case .chat(.connected): state.isLive = true
      case .chat(.waiting), .chat(.disconnected): state.isLive = false
      case .chat(.undecodable(let message, _)): state.problem = "not understood: \(message)"
      case .chat(.error(let error)): state.problem = "\(error)"
      case .notSent(let error): state.problem = "\(error)"
      case .failed(let problem): state.problem = problem
      case .voted: break
      }
      return .none
    }
  }

  final class Greeter: Composer {
    enum Action: Equatable { case join(greeting: String), received(WebSocketMessage) }
    struct State: Equatable { var greeting: String?, answers: [String] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connection: any WebSocketType
    private let socket = SocketHandle()

    init(_ connection: any WebSocketType) { self.connection = connection }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join(let greeting): state.greeting = greeting
      case .received(let message): state.answers.append(message.text ?? "")
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if let greeting = state.greeting {
        StateEffect(id: "socket") { [connection, socket] in
          .socket(connection, handle: socket, received: Action.received)
        }
        StateEffect(id: "greeting") { [socket] in socket.send(greeting) }
      }
    }
  }

  final class Lobby: Composer {
    enum Action: Equatable { case enter(String?), said(String) }
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
      case .said(let text): state.texts.append(text)
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if let room = state.room {
        StateEffect(id: room) { [connect] in
          .socket(ReconnectingWebSocket(connect: { try await connect(room) })) {
            .said($0.text ?? "")
          }
        }
      }
    }
  }

  /// A server that sends one line and echoes messages, and the states of a composer.
  private func composed() throws -> (
    WebSocketServer, Composed<Chat.State, Chat.Action>, Watched<Chat.State>, DisposeBag
  ) {
    let (server, bag) = (try WebSocketServer(), DisposeBag())
    server.connections.subscribe(onNext: { socket in
      try? socket.send(json: ChatMessage(text: "welcome"))
      socket.messages.subscribe(onNext: { message in
        if let count = try? message.decode(Count.self) {
          try? socket.send(json: Votes(id: count.id, total: 3))
          return
        }
        try? socket.send(json: ChatMessage(text: message.text ?? ""))
      }).disposed(by: bag)
    }).disposed(by: bag)
    let composed = Composed(sending: Chat())
    let states = Watched(composed.state)
    composed.states.subscribe(onNext: { state in states.update { $0 = state } }).disposed(by: bag)
    return (server, composed, states, bag)
  }

  @Test func `the article's effect connects and receives in one line`() async throws {
    let (server, chat, states, bag) = try composed()
    chat.send(.join(server.url))
    await states.wait { $0.lines == ["welcome"] }
    withExtendedLifetime(bag) {}
    server.close()
  }

  @Test func `in the article's example every event is an action, and a handle sends`() async throws
  {
    let (server, chat, states, bag) = try composed()
    chat.send(.sendTapped)
    #expect(chat.state.problem == "\(WebSocketError.notConnected(.disconnected))")
    chat.send(.open(server.url))
    await states.wait { $0.isLive && $0.lines == ["welcome"] }
    chat.send(.vote(Vote(count: 2)))
    await states.wait { $0.lines.last == #"{"count":2}"# }
    chat.send(.countTapped)
    await states.wait { $0.lines.last == "3 votes" }
    chat.send(.leave)
    withExtendedLifetime(bag) {}
    server.close()
  }

  @Test func `the article's state opens and closes a socket`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Lobby { _ in client })
    test.send(.enter("a")) { $0.room = "a" }
    try server.send("hello")
    test.receive(.said("hello")) { $0.texts = ["hello"] }
    test.send(.enter(nil)) { $0.room = nil }
    #expect(server.state == .disconnected)
    test.finish()
  }

  @Test func `a state effect sends by the socket of an earlier one, which has started before`()
    throws
  {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Greeter(client))
    test.send(.join(greeting: "hello")) { $0.greeting = "hello" }
    #expect(server.received == [.text("hello")])
    try server.send("welcome")
    test.receive(.received(.text("welcome"))) { $0.answers = ["welcome"] }
    test.finish()
  }
}
