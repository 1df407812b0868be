import IntegrationTestSupport
import Metrics
import MetricsIntegration
import MetricsTestKit
import ReactiveTesting
import Sockets
import Testing

@Suite(.timeLimit(.minutes(2))) struct MetricsTests {
  @Test func `a server's totals become counters of their differences, and meters`() async throws {
    let watched = WatchedMetrics()
    let metrics = watched.metrics
    var admission = WebSocketAdmission()
    admission.decide = { $0.path == "/" ? .accept() : .refuse(status: 404) }
    let server = try WebSocketServer(configuration: .quiet, admission: admission)
    let echo = Echo(server)
    let reports = server.report(as: "api", every: .milliseconds(1), to: watched)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    try socket.send("hi")
    _ = try await socket.receive()
    let refused = WebSocket.connect(to: server.url + "other", configuration: .quiet)
    try await refused.closed()
    await server.shutDown(code: .serviceRestart)
    let name = ("websocket.server.name", "api")
    @Sendable func total(_ label: String, _ dimensions: (String, String)...) -> Int64 {
      metrics.counterTotal(label: "websocket.server.\(label)", dimensions: [name] + dimensions)
    }
    // The last report, after the end: bytes are counted last.
    let totals = server.totals
    try await watched.wait { _ in
      total("closed_connections", ("websocket.close.code", "1012")) == 1
        && total("refused_handshakes", ("http.response.status_code", "404")) == 1
        && total("io", ("network.io.direction", "receive")) == totals.bytesReceived
        && total("io", ("network.io.direction", "transmit")) == totals.bytesSent
    }

    #expect(total("accepted_connections") == 2)
    #expect(total("opened_connections") == 1)
    #expect(total("refused_handshakes", ("http.response.status_code", "404")) == 1)
    #expect(total("closed_connections", ("websocket.close.code", "1012")) == 1)
    #expect(total("messages", ("network.io.direction", "receive")) == 1)
    #expect(total("messages", ("network.io.direction", "transmit")) == 1)
    #expect(total("io", ("network.io.direction", "receive")) == totals.bytesReceived)
    #expect(try metrics.expectMeter("websocket.server.active_connections", [name]).lastValue == 0)
    #expect(metrics.meters(label: "websocket.server.loop.lag").count == 1)
    withExtendedLifetime((echo, reports)) {}
  }

  @Test func `a client reports its life and traffic`() async throws {
    let watched = WatchedMetrics()
    let metrics = watched.metrics
    let server = try WebSocketServer(configuration: .quiet)
    let echo = Echo(server)
    let scheduler = TestScheduler(initialClock: 0)
    let socket = WebSocket(server.url, configuration: .quiet)
    let reports = socket.report(as: "prices", every: .seconds(5), scheduler: scheduler, to: watched)
    let name = ("websocket.client.name", "prices")
    socket.connect()
    try await socket.connected()
    try socket.send("hi")
    _ = try await socket.receive()
    let received = [name, ("network.io.direction", "receive")]
    func messages() -> Int64 {
      metrics.counterTotal(label: "websocket.client.messages", dimensions: received)
    }
    #expect(messages() == 0)
    scheduler.advanceTo(4)
    #expect(messages() == 0)
    scheduler.advanceTo(5)
    #expect(messages() == 1)

    let active = try metrics.expectMeter("websocket.client.active_connections", [name])
    #expect(active.lastValue == 1)
    socket.close()
    try await socket.closed()
    try await watched.wait {
      $0.counterTotal(label: "websocket.client.closed_connections") == 1
    }
    #expect(active.lastValue == 0)
    #expect(
      metrics.counters(
        label: "websocket.client.closed_connections",
        dimensions: [name, ("websocket.close.code", "1000")]
      ).count == 1)
    #expect(
      metrics.counterTotal(
        label: "websocket.client.io", dimensions: [name, ("network.io.direction", "transmit")])
        == Int64(socket.metrics.bytesSent))
    #expect(try metrics.expectTimer("websocket.client.connect.duration", [name]).values.count == 1)
    withExtendedLifetime((echo, reports)) {}
  }

  @Test func `a report that follows another one counts what is new`() async throws {
    let server = try WebSocketServer(configuration: .quiet)
    let echo = Echo(server)
    let socket = WebSocket(server.url, configuration: .quiet)
    let watched = WatchedMetrics()
    func report() -> [any Disposable] {
      [
        server.report(every: .milliseconds(1), to: watched),
        socket.report(as: "s", every: .milliseconds(1), to: watched),
      ]
    }
    @Sendable func received(_ metrics: TestMetrics, _ end: String) -> Int64 {
      metrics.counterTotal(
        label: "websocket.\(end).messages",
        dimensions: (end == "client" ? [("websocket.client.name", "s")] : [])
          + [("network.io.direction", "receive")])
    }
    let first = report()
    socket.connect()
    try await socket.connected()
    for count in 1...2 {
      try socket.send("hi")
      _ = try await socket.receive()
      if count == 1 {
        try await watched.wait { received($0, "server") == 1 && received($0, "client") == 1 }
        for report in first { report.dispose() }
      }
    }
    let second = report()
    try socket.send("hi")
    _ = try await socket.receive()
    // The message between the reports is not counted.
    try await watched.wait { received($0, "server") == 2 && received($0, "client") == 2 }
    socket.close()
    try await socket.closed()
    let closed = "websocket.client.closed_connections"
    try await watched.wait { $0.counterTotal(label: closed) == 1 }
    let third = socket.report(as: "s", every: .milliseconds(1), to: watched)
    await server.shutDown()
    #expect(watched.metrics.counterTotal(label: closed) == 1)
    #expect(received(watched.metrics, "server") == 2 && received(watched.metrics, "client") == 2)
    #expect(
      try watched.metrics.expectTimer(
        "websocket.client.connect.duration", [("websocket.client.name", "s")]
      ).values.count == 1)
    withExtendedLifetime((echo, second, third)) {}
  }

  @Test func `an interval may be longer than any program runs`() throws {
    let server = try WebSocketServer(configuration: .quiet)
    let socket = WebSocket(server.url, configuration: .quiet)
    server.report(every: .seconds(10_000_000_000), to: TestMetrics()).dispose()
    socket.report(as: "s", every: .seconds(10_000_000_000), to: TestMetrics()).dispose()
  }

  @Test func `a composer reports its steps, and its effects with outcomes and durations`() throws {
    let metrics = TestMetrics()
    let time = VirtualTime()
    let composed = Composed(sending: Working(), on: .virtual(time))
    let reports = composed.report(as: "Working", to: metrics)
    composed.send(.begin)
    time.advance(by: .seconds(3))
    composed.send(.begin)
    composed.send(.cancel)

    let name = ("composer.name", "Working")
    #expect(metrics.counterTotal(label: "composer.steps", dimensions: [name]) == 4)
    let completed = [name, ("composer.effect.outcome", "completed")]
    let cancelled = [name, ("composer.effect.outcome", "cancelled")]
    // The timer of the first action, and the cancellation, which is an effect too.
    #expect(metrics.counterTotal(label: "composer.effects", dimensions: completed) == 2)
    #expect(metrics.counterTotal(label: "composer.effects", dimensions: cancelled) == 1)
    #expect(
      try metrics.expectTimer("composer.effect.duration", completed).values == [3_000_000_000, 0])
    #expect(try metrics.expectMeter("composer.active_effects", [name]).lastValue == 0)
    #expect(try metrics.expectMeter("composer.mailbox.pending_actions", [name]).lastValue == 0)
    reports.dispose()
    composed.send(.begin)
    #expect(metrics.counterTotal(label: "composer.steps", dimensions: [name]) == 4)
  }
}

private final class Working: Composer {
  enum Action { case begin, done, cancel }
  struct State {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .begin: .send(.done, after: .seconds(3))
    case .done: .none
    case .cancel: .cancel(&disposeBag)
    }
  }
}
