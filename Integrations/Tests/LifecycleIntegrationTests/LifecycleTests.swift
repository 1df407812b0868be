import Compose
import Dispatch
import IntegrationTestSupport
import LifecycleIntegration
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Sockets
import Testing

@Suite(.timeLimit(.minutes(2))) struct LifecycleTests {
  @Test func `a graceful shutdown closes the connections with the code, and waits for them`()
    async throws
  {
    let server = try WebSocketServer(configuration: .quiet)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    let dropped = Watched<Int?>(nil)
    await testGracefulShutdown { trigger in
      async let run: Void = WebSocketServerService(
        server, code: .serviceRestart, reason: "update",
        onShutDown: { count in dropped.update { $0 = count } }
      ).run()
      trigger.triggerGracefulShutdown()
      await run
    }
    #expect(dropped.value == 0)
    #expect(server.totals.open == 0)
    let (code, reason) = try await socket.closed()
    #expect(code == .serviceRestart && reason == "update")
    await #expect(throws: WebSocketError.self) {
      try await WebSocket.connect(to: server.url, configuration: .quiet).connected()
    }
  }

  @Test func `a client that does not answer the close is dropped at the limit`() async throws {
    let server = try WebSocketServer(configuration: .quiet)
    let client = try await RawClient(port: Int(server.port))
    try await client.send(RawClient.request)
    _ = try await server.connections.values.first { _ in true }
    let dropped = Watched<Int?>(nil)
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      await WebSocketServerService(
        server, within: .milliseconds(1), onShutDown: { count in dropped.update { $0 = count } }
      ).run()
    }
    #expect(dropped.value == 1)
    try await client.isClosed.wait { $0 }
  }

  @Test func `a cancelled task drops the connections`() async throws {
    var configuration = WebSocketConfiguration.quiet
    configuration.closeTimeout = .seconds(3_600)
    let server = try WebSocketServer(configuration: configuration)
    let client = try await RawClient(port: Int(server.port))
    try await client.send(RawClient.request)
    _ = try await server.connections.values.first { _ in true }
    let task = Task { await WebSocketServerService(server, within: .seconds(3_600)).run() }
    task.cancel()
    await task.value
    #expect(server.totals.open == 0)
  }

  @Test func `a service group shuts the server down before the composer that it uses`() async throws
  {
    let server = try WebSocketServer(configuration: .quiet)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    let composed = Composed(sending: Working())
    let order = Watched<[String]>([])
    let states = composed.states.subscribe(onNext: { state in
      if state == .stopped { order.update { $0.append("composer") } }
    })
    let group = ServiceGroup(
      services: [
        ComposerService(composed, start: .start, stop: .stop, isStopped: { $0 == .stopped }),
        WebSocketServerService(server, onShutDown: { _ in order.update { $0.append("server") } }),
      ], logger: Logger(label: "test"))
    async let run: Void = group.run()
    for try await state in composed.states.values where state == .working { break }
    await group.triggerGracefulShutdown()
    try await run
    #expect(order.value == ["server", "composer"])
    #expect(try await socket.closed().code == .goingAway)
    states.dispose()
  }

  @Test func `a composer that does not stop in time ends its service with an error`() async throws {
    let composed = Composed(sending: Working())
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      // `start` does not stop it.
      let service = ComposerService(
        composed, stop: .start, within: .milliseconds(1), isStopped: { $0 == .stopped })
      await #expect(throws: ComposerShutdownError.timedOut(after: .milliseconds(1))) {
        try await service.run()
      }
    }
    #expect(composed.state == .working)
  }

  @Test func `a composer's service waits for the step of its stop action`() async throws {
    let queue = DispatchQueue(label: "composer")
    let composed = Composed(sending: Working(), on: .queue(queue))
    queue.suspend()
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      await #expect(throws: ComposerShutdownError.self) {
        try await ComposerService(composed, stop: .stop, within: .milliseconds(1)).run()
      }
    }
    #expect(composed.state == .idle)
    queue.resume()
    for try await state in composed.states.values where state == .stopped { break }
  }

  @Test func `a service waits for its own stop action, however actions describe themselves`()
    async throws
  {
    let queue = DispatchQueue(label: "composer")
    let composed = Composed(sending: Session(), on: .queue(queue))
    queue.suspend()
    // More than the queue reduces in one turn.
    for _ in 0..<2_500 { composed.send(.login) }
    try await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      async let run: Void = ComposerService(composed, stop: .stop).run()
      queue.resume()
      try await run
      #expect(composed.state.last == "stop" && composed.state.count == 2_501)
    }
  }

  @Test func `a composer's service that is cancelled while it stops returns`() async throws {
    let composed = Composed(sending: Working())
    try await testGracefulShutdown { trigger in
      let task = Task {
        try await ComposerService(
          composed, start: .start, stop: .start, within: .seconds(3_600),
          isStopped: { $0 == .stopped }
        ).run()
      }
      for try await state in composed.states.values where state == .working { break }
      trigger.triggerGracefulShutdown()
      task.cancel()
      try await task.value
    }
  }

  @Test func `a cancelled composer's service returns without its stop action`() async throws {
    let composed = Composed(sending: Working())
    let task = Task {
      try await ComposerService(composed, start: .start, stop: .stop).run()
    }
    for try await state in composed.states.values where state == .working { break }
    task.cancel()
    try await task.value
    #expect(composed.state == .working)
  }
}

private final class Working: Composer {
  enum Action { case start, stop, stopped }
  enum State { case idle, working, stopping, stopped }

  @ComposableState var state = State.idle
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start: state = .working
    case .stop:
      state = .stopping
      return .run { send in
        await Task.yield()
        send(.stopped)
      }
    case .stopped: state = .stopped
    }
    return .none
  }
}

private final class Session: Composer {
  /// Each description is another one, and equal to none.
  enum Action: CustomStringConvertible {
    case login, stop
    var description: String { "\(ContinuousClock.now)" }
  }
  typealias State = [String]

  @ComposableState var state: [String] = []
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .login: state.append("login")
    case .stop: state.append("stop")
    }
    return .none
  }
}
