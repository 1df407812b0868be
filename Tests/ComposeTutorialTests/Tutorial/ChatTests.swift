import Sockets
import TestSupport
import Testing

final class Chat: Composer {
  enum Action { case join(url: String), leave, received(String), say(String), lost(any Error) }
  struct State { var url: String?, lines: [String] = [], problem: String? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let said = PublishRelay<String>()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .join(let url): state.url = url
    case .leave: state.url = nil
    case .received(let line): state.lines.append(line)
    case .say(let line):
      return .run(
        .deferred { [said] in
          said.accept(line)
          return .empty()
        })
    case .lost(let error): (state.url, state.problem) = (nil, "\(error)")
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if let url = state.url {
      StateEffect(id: url) { [said] in
        let socket = WebSocket.connect(to: url)
        let received = socket.messages.compactMap(\.text).map(Action.received)
        let sent = said.do(onNext: { try socket.send($0) }).compactMap { _ in Action?.none }
        return .run(.merge(received, sent)) { .send(.lost($0)) }
      }
    }
  }
}

@Suite("The tutorial's chat", .workerPool)
struct ChatTests {
  @Test func `the chat is connected while a room is joined`() async throws {
    let server = try WebSocketServer()
    var connections = server.connections.values.makeAsyncIterator()
    let chat = Composed(sending: Chat())
    chat.send(.join(url: server.url))
    let peer = try #require(try await connections.next())
    try peer.send("welcome")
    for try await state in chat.states.values where !state.lines.isEmpty { break }
    #expect(chat.state.lines == ["welcome"])

    chat.send(.say("hello"))
    var messages = peer.messages.values.makeAsyncIterator()
    #expect(try await messages.next()?.text == "hello")

    chat.send(.leave)
    for try await event in peer.events.values {
      if case .disconnected(let code, _) = event { #expect(code == .goingAway) }
    }
    #expect(chat.state.problem == nil)
    server.close()
  }

  @Test func `the chat shows the error of a lost connection, and joins again`() async throws {
    let chat = Composed(sending: Chat())
    chat.send(.join(url: "ws://127.0.0.1:1/"))
    for try await state in chat.states.values where state.problem != nil { break }
    #expect(chat.state.url == nil)

    let server = try WebSocketServer()
    var connections = server.connections.values.makeAsyncIterator()
    chat.send(.join(url: server.url))
    let peer = try #require(try await connections.next())
    try peer.send("again")
    for try await state in chat.states.values where !state.lines.isEmpty { break }
    server.close()
  }
}
