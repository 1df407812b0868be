import Inspector
import TestSupport

@testable import inspect

/// A composer with a socket, whose messages cause steps.
final class Feed: Composer {
  enum Action: Sendable { case start, heard(String), socket(SocketLifecycleEvent) }
  struct State: Sendable { var heard: String? }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let make: @Sendable () -> WebSocket
  private let handle = SocketHandle()

  init(_ make: @escaping @Sendable () -> WebSocket) { self.make = make }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start:
      return .socket(
        make(), handle: handle, received: { .heard($0.text ?? "") }, lifecycle: Action.socket)
    case .socket(.connected): return handle.send(.text("hello"))
    case .socket: break
    case .heard(let text): state.heard = text
    }
    return .none
  }
}

/// A program with a server that echoes, a feed, and an inspector that shows both, in this process.
struct InspectedFeed {
  let inspector: Inspector
  let server: WebSocketServer
  private let feed: Composed<Feed.State, Feed.Action>
  private let bag = DisposeBag()

  /// Returns when a message has arrived.
  init() async throws {
    var configuration = InspectorConfiguration()
    configuration.observesAll = false
    let inspector = try Inspector(configuration)
    let server = try WebSocketServer()
    server.connections
      .subscribe(onNext: { [bag] socket in
        socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
      })
      .disposed(by: bag)
    let url = server.url
    feed = Composed(
      sending: Feed {
        let socket = WebSocket(url)
        inspector.add(socket)
        return socket
      })
    (self.inspector, self.server) = (inspector, server)
    inspector.add(feed)
    inspector.add(server)
    let isHeard = Watched(false)
    feed.states.subscribe(onNext: { state in isHeard.update { $0 = state.heard != nil } })
      .disposed(by: bag)
    feed.send(.start)
    await isHeard.wait { $0 }
  }

  func lines(_ words: String...) async throws -> [String] { try await CommandRun.lines(words) }

  /// The number of the step that the message has caused.
  func heardStep() async throws -> Int? {
    let rows = try await lines(inspector.url, "--filter", "heard(\"hello\")", "--json")
    return try rows.last.flatMap { try JSONValue(json: $0)["event"]?.integer }
  }
}
