import ReactiveTesting
import Sockets
import TestSupport
import Testing

// The README's first example, except for the URL.
final class Ticker: Composer {
  enum Action { case open(String), received(WebSocketMessage), socket(SocketLifecycleEvent), close }
  struct State { var socket: SocketLifecycleEvent?, lines: [String] = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let url):
      return .socket(WebSocket(url), received: Action.received, lifecycle: Action.socket)
    case .received(let message): state.lines.append(message.text ?? "")
    case .socket(let event): state.socket = event
    case .close:
      state.socket = nil
      return .cancel(&disposeBag)  // ends the effect, and closes the socket with it
    }
    return .none
  }
}

@MainActor
@Suite("A composer on a live socket", .workerPool)
struct ReadmeExampleTests {
  @MainActor
  final class Screen {
    @Compose var composer = Ticker()
  }

  @Test func `the README's composer receives lines until it closes the socket with 1001`()
    async throws
  {
    let server = try WebSocketServer()
    let screen = Screen()
    var connections = server.connections.values.makeAsyncIterator()
    screen.composer.action.accept(.open(server.url))
    let peer = try #require(try await connections.next())
    try peer.send("one")
    try peer.send("two")
    for await state in screen.composer.$state.observable.values where state.lines.count == 2 {
      break
    }
    #expect(screen.composer.state.lines == ["one", "two"])

    screen.composer.action.accept(.close)
    for try await event in peer.events.values {
      if case .disconnected(let code, _) = event { #expect(code == .goingAway) }
    }
    #expect(screen.composer.state.socket == nil)
    server.close()
  }

  @Test func `the README's composer observes that the server closes the socket`() async throws {
    let server = try WebSocketServer()
    let screen = Screen()
    var connections = server.connections.values.makeAsyncIterator()
    screen.composer.action.accept(.open(server.url))
    let peer = try #require(try await connections.next())
    try peer.send("one")
    peer.close()
    let end = SocketLifecycleEvent.disconnected(code: .normal, reason: "")
    for await state in screen.composer.$state.observable.values where state.socket == end { break }
    #expect(screen.composer.state.lines == ["one"])
    server.close()
  }

  @Test func `the README's composer turns a refused connection into an action`() async throws {
    let screen = Screen()
    let actions = screen.composer.action.values
    screen.composer.action.accept(.open("ws://127.0.0.1:1/"))
    for try await action in actions {
      guard case .socket(.error(let error)) = action else { continue }
      #expect("\(error)".contains("refused"))
      break
    }
  }
}
