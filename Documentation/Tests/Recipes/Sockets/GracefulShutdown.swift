// Graceful shutdown
//
// Problem: Before the program ends, it takes no further jobs, finishes those that run, and closes
// the socket; but it does not wait longer than five seconds.
//
// Words: SIGTERM, drain, shut down, wait for completion, deadline, quit
//
// Why: The last job or the deadline sends `closed`, whichever comes first. The phase makes `job`
// refuse what arrives late, and declares the socket until everything is done.
//
// Ends: `closed` is sent once: `.cancelAll` cancels the deadline, and the jobs that still run. The
// phase then ends the socket's effect, which closes the socket with 1001.
//
// See: Compose/ReturningEffects, Compose/StateEffect, Sockets/Serving

import ReactiveTesting
import Sockets
import Testing

final class Worker: Composer {
  enum Action: Equatable { case job(String), done(String), quit, closed }
  enum Phase: Equatable { case open, closing, closed }
  struct State: Equatable { var phase = Phase.open, running: Set<String> = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket: any WebSocketType
  private let work: @Sendable (String) async -> Void

  init(_ socket: any WebSocketType, work: @escaping @Sendable (String) async -> Void) {
    self.socket = socket
    self.work = work
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .job(let job):
      guard state.phase == .open else { return .none }
      state.running.insert(job)
      return .concatenate(.fireAndForget { [work] in await work(job) }, .send(.done(job)))
    case .done(let job):
      state.running.remove(job)
      if state.phase == .closing, state.running.isEmpty { return .send(.closed) }
    case .quit:
      state.phase = .closing
      return state.running.isEmpty ? .send(.closed) : .send(.closed, after: .seconds(5))
    case .closed:
      state.phase = .closed
      return .cancelAll
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.phase != .closed {
      StateEffect(id: "socket") { [socket] in .socket(socket) { .job($0.text ?? "") } }
    }
  }
}

@Test(arguments: [(seconds: 3, closedAfter: 3), (seconds: 60, closedAfter: 5)])
func `the running job is finished, if that takes five seconds at most`(
  seconds: Int, closedAfter: Int
) throws {
  let (client, server) = MockWebSocket.pair()
  let test = TestComposer(
    Worker(client) { _ in try? await EffectContext.sleep(.seconds(seconds)) })
  test.exhaustivity = .off
  try server.send("report")
  test.send(.quit)
  try server.send("too late")
  test.advance(by: .milliseconds(closedAfter * 1_000 - 1))
  #expect(test.state.running == ["report"])
  #expect(server.state == .connected)
  test.advance(by: .milliseconds(1))
  #expect(test.state.phase == .closed)
  #expect(server.state == .disconnected)
  test.finish()
}
