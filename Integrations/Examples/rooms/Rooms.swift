import AsyncAlgorithms
import AsyncAlgorithmsIntegration
import Foundation
import Hummingbird
import HummingbirdIntegration
import InMemoryTracing
import LifecycleIntegration
import Logging
import LoggingIntegration
import Metrics
import MetricsIntegration
import ServiceLifecycle
import Sockets
import Tracing
import TracingIntegration

/// A chat service: HTTP and WebSockets on one port, with logs, metrics, traces and a graceful shutdown.
///
///     swift run rooms 8080
///     curl localhost:8080/health
///
/// Clients of `ws://localhost:8080/room` receive what each of them sends. SIGTERM or Ctrl-C ends it.
@main
struct Rooms {
  static func main() async throws {
    let observability = Observability()
    let logger = observability.logger

    var configuration = WebSocketConfiguration()
    configuration.log = WebSocketLog(logger)
    var admission = WebSocketAdmission()
    admission.decide = { $0.path == "/room" ? .accept() : .refuse(status: 404) }
    // The sockets of Hummingbird's port.
    let server = try WebSocketServer.withoutListener(
      configuration: configuration, admission: admission)
    let topic = server.topic("room")
    let room = Composed(sending: RoomComposer { topic.publish(.text($0)) })

    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in
      topic.subscribe(socket)
      // A part of the client's trace.
      withSpan("join", context: socket.request?.serviceContext ?? .topLevel, ofKind: .server) { _ in
        room.send(.joined(socket))
      }
    }).disposed(by: bag)
    server.report(as: "rooms", every: .seconds(1)).disposed(by: bag)
    room.report(as: "Room").disposed(by: bag)
    room.recordSpans(as: "Room").disposed(by: bag)
    room.trace.log(to: logger, composer: "Room").disposed(by: bag)

    let router = Router()
    router.get("health") { _, _ in "fine\n" }
    router.get("metrics") { _, _ in observability.metrics.text }
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    let app = Application(
      router: router, server: .http1(webSockets: server),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { report("listening on port \($0.localAddress?.port ?? port)") },
      logger: logger)

    // The last service is shut down first: sockets, then the port, then what they use.
    var services = ServiceGroupConfiguration(
      services: [
        digest(of: room, logger),
        ComposerService(room, stop: .close, isStopped: { $0.isClosed && $0.members == 0 }),
        app,
        WebSocketServerService(server, within: .seconds(5), code: .serviceRestart),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    services.maximumGracefulShutdownDuration = .seconds(30)
    try await ServiceGroup(configuration: services).run()

    let spans = observability.tracer.finishedSpans.count
    report("\(room.state.said) messages, \(room.state.members) members, \(spans) spans")
    withExtendedLifetime(bag) {}
  }

  /// Logs how much was said, when nobody has spoken for a moment.
  private static func digest(
    of room: Composed<RoomComposer.State, RoomComposer.Action>, _ logger: Logger
  ) -> ClosureService {
    ClosureService {
      let counts = AsyncChannel<Int>()
      let said = room.states.map(\.said).distinctUntilChanged()
      await cancelWhenGracefulShutdown {
        async let sent: Void? = try? said.send(to: counts, buffer: .latest)
        for await count in counts.debounce(for: .milliseconds(100)) {
          logger.info("quiet", metadata: ["messages": "\(count)"])
        }
        _ = await sent
      }
    }
  }
}

/// What the program reports of itself: to standard error, in memory, and at `/metrics`.
struct Observability {
  let logger: Logger
  let metrics = TextMetrics()
  // A service would export its spans by another tracer.
  let tracer = InMemoryTracer()

  init() {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    MetricsSystem.bootstrap(metrics)
    InstrumentationSystem.bootstrap(tracer)
    var logger = Logger(label: "rooms")
    logger.logLevel = .debug
    self.logger = logger
    ComposeHooks.logProblems(to: logger)
    Hooks.logUnhandledErrors(to: logger)
  }
}

/// Writes a line to standard output, at once also to a pipe.
private func report(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
