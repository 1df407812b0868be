import ReactiveTesting
import Sockets
import TestSupport
import Testing

// The README's first example, except for the URL.
final class Ticker: Composer {
  enum Action { case open(url: String), received(String), failed(any Error), close }
  struct State { var isLive = false, lines: [String] = [], problem: String? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let url):
      state.isLive = true
      let texts = WebSocket.connect(to: url).messages.compactMap(\.text).map(Action.received)
      return .concat(.run(texts) { .send(.failed($0)) }, .send(.close))
    case .received(let line): state.lines.append(line)
    case .failed(let error): state.problem = "\(error)"
    case .close:
      state.isLive = false
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
    screen.composer.action.accept(.open(url: server.url))
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
    #expect(!screen.composer.state.isLive)
    server.close()
  }

  @Test func `the README's composer observes that the server closes the socket`() async throws {
    let server = try WebSocketServer()
    let screen = Screen()
    var connections = server.connections.values.makeAsyncIterator()
    screen.composer.action.accept(.open(url: server.url))
    let peer = try #require(try await connections.next())
    try peer.send("one")
    peer.close()
    for await state in screen.composer.$state.observable.values where !state.isLive { break }
    #expect(screen.composer.state.lines == ["one"])
    #expect(screen.composer.state.problem == nil)
    server.close()
  }

  @Test func `the README's composer turns a refused connection into an action`() async {
    let screen = Screen()
    screen.composer.action.accept(.open(url: "ws://127.0.0.1:1/"))
    for await state in screen.composer.$state.observable.values where !state.isLive { break }
    #expect(screen.composer.state.problem?.contains("refused") == true)
    #expect(!screen.composer.state.isLive)
  }
}
