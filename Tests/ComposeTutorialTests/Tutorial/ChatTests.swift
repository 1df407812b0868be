import Sockets
import TestSupport
import Testing

final class Chat: Composer {
  enum Action {
    case join(url: String), leave, say(String)
    case received(WebSocketMessage), socket(SocketLifecycleEvent), notSent(WebSocketError)
  }
  struct State { var url: String?, lines: [String] = [], problem: String? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .join(let url): state.url = url
    case .leave: state.url = nil
    case .say(let line): return socket.send(line) { .notSent($0) }
    case .received(let message): state.lines.append(message.text ?? "")
    case .notSent(let error): state.problem = "\(error)"
    case .socket(.error(let error)): (state.url, state.problem) = (nil, "\(error)")
    case .socket(.disconnected): state.url = nil
    case .socket(.connected), .socket(.waiting), .socket(.undecodable): break
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if let url = state.url {
      StateEffect(id: url) { [socket] in
        .socket(WebSocket(url), handle: socket, received: Action.received, lifecycle: Action.socket)
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
