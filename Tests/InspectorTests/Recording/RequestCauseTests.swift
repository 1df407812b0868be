import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Replies as causes", .workerPool)
struct RequestCauseTests {
  private let inspector: Inspector
  private let echo: EchoServer
  private var server: WebSocketServer { echo.server }
  private let bag = DisposeBag()

  init() throws {
    inspector = try .ofAdded()
    echo = try EchoServer()
  }

  @Test(arguments: [false, true])
  func `the reply to a request is the cause of its step, and the effect has completed`(
    reconnects: Bool
  ) async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let (url, observed) = (server.url, inspector)
    @Sendable func connect() -> WebSocket {
      let socket = WebSocket(url)
      observed.add(socket)
      return socket
    }
    let asker = Composed(
      sending: Asker { () -> any WebSocketType in
        if reconnects { return ReconnectingWebSocket(connect: { connect() }) }
        return connect()
      })
    inspector.add(asker)
    let answer = Watched<Int?>(nil)
    asker.states.subscribe(onNext: { state in answer.update { $0 = state.answer } })
      .disposed(by: bag)
    asker.send(.start)
    await answer.wait { $0 == 7 }
    let query = try #require(
      try await client("open", ["filter": ["kinds": ["step"], "text": "answered("]])["query"]?
        .number)
    await client.waitForEvents(1, in: query)
    let rows = try await client(
      "rows", ["query": .integer(Int64(query)), "from": 0, "count": 1])["rows"]
    let step = rows?[0]?["event"] ?? .null
    let causes = try await client("why", ["event": step])["causes"]?.elements ?? []
    #expect(causes.prefix(3).map { $0["kind"] } == ["received", "started", "step"])
    #expect(causes.dropFirst().first?["effectKind"] == "request")
    #expect(causes.first?["text"]?.text?.contains("7") == true)
    let effects = try await client("effects")["effects"]?.elements ?? []
    let request = effects.first { $0["effectKind"] == "request" }
    #expect(request?["outcome"] == "completed")
    #expect(request?["by"] == nil)
  }

  private struct Ask: Encodable, Identifiable { let id: Int }
  private struct Answer: Codable, Equatable { let id: Int }

  private final class Asker: Composer {
    enum Action { case start, socket(SocketLifecycleEvent), answered(Answer), heard }
    struct State {
      var isAsking = false
      var answer: Int?
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let make: @Sendable () -> any WebSocketType
    private let handle = SocketHandle()
    init(_ make: @escaping @Sendable () -> any WebSocketType) { self.make = make }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start:
        return .socket(make(), handle: handle, received: { _ in .heard }, lifecycle: Action.socket)
      case .socket(.connected): state.isAsking = true
      case .socket, .heard: break
      case .answered(let answer): (state.answer, state.isAsking) = (answer.id, false)
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if state.isAsking {
        StateEffect(id: "ask") { [handle] in
          handle.request(Ask(id: 7), as: Answer.self, matching: \.id) { .answered($0) }
        }
      }
    }
  }
}
