import TestSupport
import Testing

@testable import Sockets

@Suite("The plan of a reconnecting WebSocket", .workerPool)
struct ReconnectionPlanTests {
  /// A plan whose first connection is open; its steps are taken.
  private func open(_ configuration: ReconnectionConfiguration = .init()) -> Pilot {
    let plan = Pilot(configuration)
    plan.connect()
    #expect(plan.dialed(1))
    plan.received(.connected, of: 1)
    _ = plan.taken()
    return plan
  }

  private let cut = WebSocketEvent.disconnected(code: .abnormal, reason: "")
  private let outage = WebSocketOutage(error: nil, code: .abnormal, reason: "")

  @Test func `begins once`() {
    let plan = Pilot()
    plan.connect()
    plan.connect()
    #expect(plan.taken() == ["state connecting(retry: 0)", "dial 1"])
  }

  @Test func `sends what has waited as soon as it is connected, then what comes`() throws {
    let plan = Pilot()
    try plan.send("a")
    plan.connect()
    try plan.send("b")
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.received(.connected, of: 1)
    try plan.send("c")
    #expect(plan.taken() == ["state connected", "emit connected", "send 1", "send 2", "send 3"])
  }

  @Test func `sends nothing before the hook has run`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    let plan = Pilot(configuration)
    plan.connect()
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.received(.connected, of: 1)
    try plan.send("a")
    #expect(plan.taken() == ["state connected", "emit connected", "resume 1"])
    plan.resumed(1)
    #expect(plan.taken() == ["send 1"])
  }

  @Test func `refuses, while the hook runs, what must not wait`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    configuration.backlog = .fail
    let plan = open(configuration)
    #expect(throws: WebSocketError.notConnected(.connecting)) { try plan.send("a") }
    plan.resumed(1)
    try plan.send("b")
    #expect(plan.taken() == ["send 1"])
  }

  @Test func `waits, and hears no more of what is over`() {
    let plan = open()
    plan.received(cut, of: 1, at: .seconds(1))
    #expect(plan.taken() == ["judge 0"])
    plan.judged(outage, .again(after: .seconds(2)))
    #expect(plan.state == .waitingToReconnect(retry: 1, delay: .seconds(2), error: nil))
    #expect(plan.taken().suffix(2) == ["emit disconnected 1006", "wait 1"])
    plan.received(.message(.text("late")), of: 1, at: .seconds(1))
    plan.received(cut, of: 1, at: .seconds(1))
    plan.failed(1, .connectionLost)
    #expect(plan.taken() == [])
    plan.waited(after: 1)
    plan.waited(after: 1)
    #expect(plan.taken() == ["state connecting(retry: 1)", "dial 2"])
    #expect(!plan.dialed(1))
  }

  @Test func `counts from 0 again after a connection that has held, and only then`() {
    let plan = open()
    for (attempt, life) in [(1, 4.9), (2, 4.9), (3, 5.0), (4, 0.0)] {
      let retries = [1: 0, 2: 1, 3: 0, 4: 1][attempt] ?? 0
      plan.received(cut, of: attempt, at: .seconds(life))
      #expect(plan.taken() == ["judge \(retries)"])
      plan.judged(outage, .again(after: .zero))
      plan.waited(after: attempt)
      #expect(plan.dialed(attempt + 1))
      plan.received(.connected, of: attempt + 1)
      _ = plan.taken()
    }
  }

  @Test func `closes an attempt that takes too long, and judges when it is gone`() {
    let plan = Pilot()
    plan.connect()
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.failed(1, .handshakeTimedOut(after: .seconds(30)))
    #expect(plan.taken() == ["emit error", "close 1001"])
    plan.received(.connected, of: 1)
    plan.received(cut, of: 1)
    #expect(plan.taken() == ["judge 0"])
  }

  @Test func `gives up with the number of attempts and the last error`() {
    let plan = open()
    plan.received(.error(.connectionLost), of: 1)
    plan.received(cut, of: 1)
    let lost = WebSocketOutage(error: WebSocketError.connectionLost, code: .abnormal, reason: "")
    plan.judged(lost, .again(after: .zero))
    plan.waited(after: 1)
    plan.failed(2, .connectionLost)
    plan.judged(lost, .givenUp)
    let error = WebSocketError.gaveUp(attempts: 1, last: .connectionLost)
    #expect(plan.state == .disconnected(error))
    #expect(
      plan.taken().filter { !$0.hasPrefix("state") }.suffix(3) == [
        "emit error", "emit disconnected 1006", "finish \(error)",
      ])
  }

  @Test func `sends what was taken before it closes, and fails what waits`() throws {
    let plan = open()
    try plan.send("a")
    plan.close()
    #expect(plan.taken() == ["send 1", "state disconnecting", "close 1000"])
    #expect(throws: WebSocketError.notConnected(.disconnecting)) { try plan.send("b") }
    plan.refuse(1, "a")
    #expect(plan.taken() == ["fate 1 failed"])

    let waiting = open()
    waiting.received(cut, of: 1)
    waiting.judged(outage, .again(after: .seconds(1)))
    try waiting.send("a")
    _ = waiting.taken()
    waiting.close()
    #expect(waiting.taken() == ["state disconnected(nil)", "fate 1 failed", "finish nil"])
  }

  @Test func `takes back what an ending connection does not send`() throws {
    let plan = open()
    try plan.send("a")
    _ = plan.taken()
    plan.refuse(1, "a")
    #expect(plan.state == .disconnecting)
    try plan.send("b")
    plan.received(cut, of: 1)
    plan.judged(outage, .again(after: .zero))
    plan.waited(after: 1)
    #expect(plan.dialed(2))
    _ = plan.taken()
    plan.received(.connected, of: 2)
    #expect(plan.taken() == ["state connected", "emit connected", "send 1", "send 2"])
  }

  @Test func `tells each fate before the end`() throws {
    let plan = open()
    try plan.send("a")
    _ = plan.taken()
    plan.received(cut, of: 1)
    plan.judged(outage, .isOver)
    plan.refuse(1, "a")
    let last = plan.taken().suffix(3)
    #expect(last == ["emit disconnected 1006", "fate 1 failed", "finish nil"])
  }

  @Test func `closes at once while there is no connection`() {
    for isStarted in [false, true] {
      let plan = Pilot()
      if isStarted { plan.connect() }
      _ = plan.taken()
      plan.close()
      #expect(plan.taken() == ["state disconnected(nil)", "emit disconnected 1006", "finish nil"])
      plan.close()
      plan.connect()
      plan.reconnectNow()
      #expect(plan.taken() == [])
    }
  }
}

/// A plan, for a test to tell what happens and to ask for its steps.
private final class Pilot {
  private var plan: ReconnectionPlan

  init(_ configuration: ReconnectionConfiguration = .init()) {
    plan = ReconnectionPlan(configuration)
  }

  var state: ReconnectionState { plan.state }

  func connect() { plan.connect() }
  func reconnectNow() { plan.reconnectNow() }
  func close() { plan.close(.normal, "") }
  func send(_ text: String) throws(WebSocketError) { try plan.send(.text(text)) }
  func dialed(_ attempt: Int) -> Bool { plan.dialed(attempt) }
  func failed(_ attempt: Int, _ error: WebSocketError) { plan.failed(attempt, error) }
  func resumed(_ attempt: Int) { plan.resumed(attempt) }
  func waited(after attempt: Int) { plan.waited(after: attempt) }
  func judged(_ outage: WebSocketOutage, _ verdict: ReconnectionPlan.Verdict) {
    plan.judged(outage, verdict)
  }
  func received(_ event: WebSocketEvent, of attempt: Int, at now: Duration = .zero) {
    plan.received(event, of: attempt, at: now)
  }
  /// The connection refuses a message that it was to send.
  func refuse(_ number: Int, _ text: String) {
    let message = PendingMessage(number: number, message: .text(text))
    plan.unsent(message, .notConnected(.disconnecting))
  }

  /// The steps there are, in short.
  func taken() -> [String] {
    var taken: [String] = []
    while let step = plan.popStep() { taken.append(step.short) }
    return taken
  }
}

extension ReconnectionPlan.Step {
  fileprivate var short: String {
    switch self {
    case .state(let state): "state \(state)"
    case .emit(.connected): "emit connected"
    case .emit(.message(let message)): "emit \(message.text ?? "")"
    case .emit(.error): "emit error"
    case .emit(.disconnected(let code, _)): "emit disconnected \(code)"
    case .emitOutcome(let fate):
      switch fate.outcome {
      case .sent: "fate \(fate.number) sent"
      case .dropped: "fate \(fate.number) dropped"
      case .failed: "fate \(fate.number) failed"
      }
    case .dial(let attempt): "dial \(attempt)"
    case .connect(let attempt): "connect \(attempt)"
    case .resume(let attempt): "resume \(attempt)"
    case .send(let message): "send \(message.number)"
    case .close(let code, _): "close \(code)"
    case .judge(_, let retries): "judge \(retries)"
    case .wait(let attempt, _): "wait \(attempt)"
    case .finish(let error): "finish \(error.map { "\($0)" } ?? "nil")"
    }
  }
}
