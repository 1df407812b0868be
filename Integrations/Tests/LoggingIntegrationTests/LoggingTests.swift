import Foundation
import IntegrationTestSupport
import Logging
import LoggingIntegration
import Sockets
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized) struct LoggingTests {
  private func logger(_ level: Logger.Level = .trace) -> (Logger, Watched<[LogEvent]>) {
    let events = Watched<[LogEvent]>([])
    var logger = Logger(label: "test") { _ in WatchedLogHandler(events: events) }
    logger.logLevel = level
    return (logger, events)
  }

  @Test func `a server's lines have the connection, its address and the close code`() async throws {
    let (logger, events) = logger(.debug)
    var configuration = WebSocketConfiguration.quiet
    configuration.log = WebSocketLog(logger)
    let server = try WebSocketServer(configuration: configuration)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    let port = try #require(await server.connections.values.first { _ in true }?.peerAddress?.port)
    socket.close(reason: "bye")
    try await socket.closed()
    try await events.wait { $0.count == 2 }
    let peer: Logger.Metadata = [
      "websocket.connection.id": "1", "network.peer.address": "127.0.0.1",
      "network.peer.port": "\(port)",
    ]
    #expect(events.value.map(\.level) == [.debug, .debug])
    #expect(events.value.map { "\($0.message)" } == ["connected: /", "closed, 1000 bye"])
    #expect(events.value[0].metadata == peer)
    #expect(
      events.value[1].metadata
        == peer.merging(["websocket.close.code": "1000"]) { $1 })
    #expect(events.value.allSatisfy { $0.source == "Sockets" })
  }

  @Test func `a client's lines have its URL without secrets, and its error`() async throws {
    let (logger, events) = logger(.info)
    let server = try WebSocketServer(configuration: .quiet)
    server.close()
    var configuration = WebSocketConfiguration.quiet
    configuration.log = WebSocketLog(logger)
    let url = "ws://me:secret@127.0.0.1:\(server.port)/room?token=secret"
    let socket = WebSocket.connect(to: url, configuration: configuration)
    try await socket.closed()
    try await events.wait { $0.count == 1 }
    let event = events.value[0]
    #expect(event.level == .error)
    #expect(event.error is WebSocketError)
    #expect(
      event.metadata == [
        "url.full": "ws://...@127.0.0.1:\(server.port)/room?...", "error.type": "WebSocketError",
      ])
  }

  @Test func `a refused client is of level info, and lines below the logger's level are not built`()
    async throws
  {
    let (logger, events) = logger(.info)
    var configuration = WebSocketConfiguration.quiet
    configuration.log = WebSocketLog(logger)
    var admission = WebSocketAdmission()
    admission.decide = { _ in .refuse(status: 403) }
    let server = try WebSocketServer(configuration: configuration, admission: admission)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.closed()
    await server.shutDown()
    #expect(events.value.map(\.level) == [.info])
    #expect(events.value.map { "\($0.message)" } == ["refused with 403 Forbidden: GET /"])
  }

  @Test func `problems of composers and unhandled errors are of level error`() async throws {
    let (logger, events) = logger()
    let (onProblem, handler) = (ComposeHooks.onProblem, Hooks.defaultErrorHandler)
    defer {
      ComposeHooks.onProblem = onProblem
      Hooks.defaultErrorHandler = handler
    }
    ComposeHooks.logProblems(to: logger)
    Hooks.logUnhandledErrors(to: logger)
    let composed = Composed(sending: Failing())
    composed.send(.fail)
    try await events.wait { $0.count == 1 }
    #expect(events.value[0].level == .error && events.value[0].error is Failing.Failure)
    #expect(events.value[0].metadata?["error.type"] == "Failure")
    let composer = "\(events.value[0].metadata?["composer"] ?? "")"
    #expect(composer.contains("Failing"))
    _ = Observable<Int>.error(Failing.Failure()).subscribe(onNext: { _ in })
    #expect(events.value.count == 2)
    #expect(events.value[1].error is Failing.Failure && events.value[1].source == "Reactive")
  }

  @Test func `a composer's trace has its steps, and a warning for a failed effect`() async throws {
    let (logger, events) = logger()
    let onProblem = ComposeHooks.onProblem
    defer { ComposeHooks.onProblem = onProblem }
    ComposeHooks.onProblem = { _ in }
    let composed = Composed(sending: Failing())
    let log = composed.trace.log(to: logger, composer: "Failing")
    composed.send(.fail)
    try await events.wait { $0.count == 3 }
    #expect(events.value.map(\.level) == [.debug, .trace, .warning])
    #expect(events.value.map { "\($0.message)" } == ["fail", "effect started", "effect ended"])
    #expect(
      events.value[0].metadata == [
        "composer": "Failing", "composer.step": "1", "composer.source": "outside",
      ])
    #expect(events.value[2].metadata?["composer.effect"] == "1")
    log.dispose()
    composed.send(.fail)
    #expect(events.value.count == 3)
  }
}

private final class Failing: Composer {
  struct Failure: Error {}
  enum Action { case fail }
  struct State {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    .error(Failure())
  }
}

/// Records the events with their sources, which InMemoryLogHandler does not keep.
private struct WatchedLogHandler: LogHandler {
  let events: Watched<[LogEvent]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  func log(event: LogEvent) { events.update { $0.append(event) } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
}
