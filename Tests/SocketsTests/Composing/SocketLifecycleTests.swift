import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The lifecycle of an effect's socket", .workerPool)
struct SocketLifecycleTests {
  final class Listener: Composer {
    enum Action { case open, close, received(WebSocketMessage), lifecycle(SocketLifecycleEvent) }
    struct State {
      var lifecycle: [SocketLifecycleEvent] = []
      var texts: [String] = []
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let socket: any WebSocketType
    private let handle = SocketHandle()

    init(_ socket: any WebSocketType) { self.socket = socket }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open:
        return .socket(
          socket, handle: handle, received: Action.received, lifecycle: Action.lifecycle)
      case .close: return handle.close(code: 4_000)
      case .received(let message): state.texts.append(message.text ?? "")
      case .lifecycle(let event): state.lifecycle.append(event)
      }
      return .none
    }
  }

  /// A composer with a socket, and everything that its socket has emitted.
  final class Run {
    let test: TestComposer<Listener>
    private let log = Locked<(attempts: Int, peers: [MockWebSocket], events: [WebSocketEvent])>(
      (0, [], []))
    private let bag = DisposeBag()

    /// - Parameters:
    ///   - failures: errors of the attempts with these numbers, from 0.
    ///   - retries: most attempts after one that has failed.
    init(failures: [Int: WebSocketError] = [:], retries: Int? = nil) {
      let log = log
      let connect: @Sendable () async throws -> any WebSocketType = {
        let number = log.withLock { log in
          log.attempts += 1
          return log.attempts - 1
        }
        if let failure = failures[number] { throw failure }
        let (client, server) = MockWebSocket.pair()
        log.withLock { $0.peers.append(server) }
        return client
      }
      let time = VirtualTime()
      let socket = time.run {
        ReconnectingWebSocket(
          connect: connect, strategy: .fixed(.seconds(2), maxAttempts: retries))
      }
      socket.events.subscribe(onNext: { event in log.withLock { $0.events.append(event) } })
        .disposed(by: bag)
      test = TestComposer(Listener(socket), in: time, exhaustivity: .off)
      test.send(.open)
    }

    var peer: MockWebSocket? { log.withLock { $0.peers.last } }
    var events: [WebSocketEvent] { log.withLock { $0.events } }
    var lifecycle: [SocketLifecycleEvent] { test.state.lifecycle }
    /// Whether the effect runs.
    var isRunning: Bool { !test.running.isEmpty }
  }

  private let refused = WebSocketError.transport(.refused(address: "127.0.0.1:1"))
  private let end = WebSocketEvent.disconnected(code: .abnormal, reason: "")
  private let ended = SocketLifecycleEvent.disconnected(code: .abnormal, reason: "")

  @Test func `a lost connection and a failed attempt are waits, with the next attempt`() throws {
    let run = Run(failures: [1: refused])
    try run.peer?.send("one")
    run.peer?.fail(.silent(after: .seconds(1)))
    run.test.advance(by: .seconds(4))
    try run.peer?.send("two")
    run.test.settle()
    #expect(
      run.events == [
        .connected, .message(.text("one")), .error(.connectionLost), end, .error(refused), end,
        .connected, .message(.text("two")),
      ])
    #expect(
      run.lifecycle == [
        .connected, .waiting(retry: 1, delay: .seconds(2), error: .connectionLost),
        .waiting(retry: 2, delay: .seconds(2), error: refused), .connected,
      ])
    #expect(run.test.state.texts == ["one", "two"])
    #expect(run.isRunning)
  }

  @Test func `a permanent failure and the last attempt are one error and the end`() {
    let rejected = WebSocketError.handshake(
      .rejected(status: 401, reason: "Unauthorized", headers: [:], body: .init()))
    let permanent = Run(failures: [0: rejected])
    permanent.test.settle()
    #expect(permanent.events == [.error(rejected), end])
    #expect(permanent.lifecycle == [.error(rejected), ended])
    #expect(!permanent.isRunning)

    let last = Run(failures: [0: refused, 1: refused, 2: refused], retries: 2)
    last.test.advance(by: .seconds(60))
    let gaveUp = WebSocketError.gaveUp(attempts: 2, last: refused)
    #expect(
      last.events == [
        .error(refused), end, .error(refused), end, .error(refused), .error(gaveUp), end,
      ])
    #expect(
      last.lifecycle == [
        .waiting(retry: 1, delay: .seconds(2), error: refused),
        .waiting(retry: 2, delay: .seconds(2), error: refused), .error(gaveUp), ended,
      ])
    #expect(!last.isRunning)
  }

  @Test func `a close for a while is a wait, and any other one the end`() {
    let away = Run()
    away.peer?.close(code: .goingAway, reason: "noon")
    away.test.settle()
    #expect(away.events == [.connected, .disconnected(code: .goingAway, reason: "noon")])
    #expect(away.lifecycle == [.connected, .waiting(retry: 1, delay: .seconds(2), error: nil)])
    #expect(away.isRunning)

    let closed = Run()
    closed.peer?.close(reason: "bye")
    closed.test.settle()
    #expect(closed.events == [.connected, .disconnected(code: .normal, reason: "bye")])
    #expect(closed.lifecycle == [.connected, .disconnected(code: .normal, reason: "bye")])
    #expect(!closed.isRunning)

    let own = Run()
    own.test.send(.close)
    own.test.settle()
    #expect(own.events == [.connected, .disconnected(code: 4_000, reason: "")])
    #expect(own.lifecycle == [.connected, .disconnected(code: 4_000, reason: "")])
    #expect(!own.isRunning)
  }

  @Test func `closing the socket while it waits is the end`() {
    let run = Run()
    run.peer?.fail(.connectionLost)
    run.test.advance(by: .seconds(1))
    run.test.send(.close)
    run.test.settle()
    #expect(run.events == [.connected, .error(.connectionLost), end])
    #expect(
      run.lifecycle == [
        .connected, .waiting(retry: 1, delay: .seconds(2), error: .connectionLost), ended,
      ])
    #expect(!run.isRunning)
  }

  @Test func `a socket that connects once has an error and the end`() throws {
    let (client, server) = MockWebSocket.pair()
    let lost = TestComposer(Listener(client), exhaustivity: .off)
    lost.send(.open)
    server.fail(.connectionLost)
    lost.settle()
    #expect(lost.state.lifecycle == [.connected, .error(.connectionLost), ended])
    let pair = MockWebSocket.pair()
    let closed = TestComposer(Listener(pair.client), exhaustivity: .off)
    closed.send(.open)
    pair.server.close()
    closed.settle()
    #expect(closed.state.lifecycle == [.connected, .disconnected(code: .normal, reason: "")])
  }

  @Test func `a close code that cannot be sent is an error without an end`() {
    var lifecycle = ReconnectionLifecycle()
    lifecycle.receive(.event(.error(.closeCodeNotSendable(.abnormal))))
    #expect(lifecycle.inputs == [.lifecycle(.error(.closeCodeNotSendable(.abnormal)))])
    lifecycle.receive(.state(.disconnected(nil)))
    #expect(lifecycle.inputs.isEmpty)
    lifecycle.receive(.event(.disconnected(code: .normal, reason: "")))
    #expect(lifecycle.inputs == [.lifecycle(.disconnected(code: .normal, reason: ""))])
    lifecycle.receive(.end)
    #expect(lifecycle.inputs.isEmpty)
  }
}
