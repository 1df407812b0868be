import TestSupport
import Testing

@testable import Sockets

@Suite("The plan of a reconnecting WebSocket", .workerPool)
struct ReconnectionPlanTests {
  /// A plan with an open first connection and no pending steps.
  private func open(_ configuration: ReconnectionConfiguration = .init()) -> PlanRecorder {
    let plan = PlanRecorder(configuration)
    plan.start()
    #expect(plan.dialed(1))
    plan.received(.connected, of: 1)
    _ = plan.taken()
    return plan
  }

  private let cut = WebSocketEvent.disconnected(code: .abnormal, reason: "")
  private let outage = WebSocketOutage(error: nil, code: .abnormal, reason: "")

  @Test func `a reconnection plan begins once`() {
    let plan = PlanRecorder()
    plan.start()
    plan.start()
    #expect(plan.taken() == ["status connecting(retry: 0)", "dial 1"])
  }

  @Test func `a reconnection plan sends queued messages on connecting, then later ones`() throws {
    let plan = PlanRecorder()
    try plan.send("a")
    plan.start()
    try plan.send("b")
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.received(.connected, of: 1)
    try plan.send("c")
    #expect(plan.taken() == ["status connected", "emit connected", "send 1", "send 2", "send 3"])
  }

  @Test func `a reconnection plan sends nothing before the hook has run`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    let plan = PlanRecorder(configuration)
    plan.start()
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.received(.connected, of: 1)
    try plan.send("a")
    #expect(plan.taken() == ["status connected", "emit connected", "resume 1"])
    plan.resumed(1)
    #expect(plan.taken() == ["send 1"])
  }

  @Test func `a reconnection plan refuses messages that cannot be queued while the hook runs`()
    throws
  {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    configuration.backlog = .fail
    let plan = open(configuration)
    #expect(throws: WebSocketError.notConnected(.connecting)) { try plan.send("a") }
    plan.resumed(1)
    try plan.send("b")
    #expect(plan.taken() == ["send 1"])
  }

  @Test func `a reconnection plan waits, and ignores events of the ended connection`() {
    let plan = open()
    plan.received(cut, of: 1, at: .seconds(1))
    #expect(plan.taken() == ["judge 0"])
    plan.judged(outage, .again(after: .seconds(2)))
    #expect(plan.status == .waiting(retry: 1, delay: .seconds(2), error: nil))
    #expect(plan.taken().suffix(2) == ["emit disconnected 1006", "wait 1"])
    plan.received(.message(.text("late")), of: 1, at: .seconds(1))
    plan.received(cut, of: 1, at: .seconds(1))
    plan.failed(1, .connectionLost)
    #expect(plan.taken() == [])
    plan.waited(after: 1)
    plan.waited(after: 1)
    #expect(plan.taken() == ["status connecting(retry: 1)", "dial 2"])
    #expect(!plan.dialed(1))
  }

  @Test func `a reconnection plan counts from 0 again only after a stable connection`() {
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

  @Test func `a reconnection plan closes an attempt that times out, and judges it at its end`() {
    let plan = PlanRecorder()
    plan.start()
    #expect(plan.dialed(1))
    _ = plan.taken()
    plan.failed(1, .handshakeTimedOut(after: .seconds(30)))
    #expect(plan.taken() == ["emit error", "close 1001"])
    plan.received(.connected, of: 1)
    plan.received(cut, of: 1)
    #expect(plan.taken() == ["judge 0"])
  }

  @Test func `a reconnection plan ends with the number of attempts and the last error`() {
    let plan = open()
    plan.received(.error(.connectionLost), of: 1)
    plan.received(cut, of: 1)
    let lost = WebSocketOutage(error: WebSocketError.connectionLost, code: .abnormal, reason: "")
    plan.judged(lost, .again(after: .zero))
    plan.waited(after: 1)
    plan.failed(2, .connectionLost)
    plan.judged(lost, .givenUp)
    let error = WebSocketError.gaveUp(attempts: 1, last: .connectionLost)
    #expect(plan.status == .ended(error))
    #expect(
      plan.taken().filter { !$0.hasPrefix("status") }.suffix(3) == [
        "emit error", "emit disconnected 1006", "finish \(error)",
      ])
  }

  @Test func `a reconnection plan sends accepted messages before it closes, and fails queued ones`()
    throws
  {
    let plan = open()
    try plan.send("a")
    plan.close()
    #expect(plan.taken() == ["send 1", "status disconnecting", "close 1000"])
    #expect(throws: WebSocketError.notConnected(.disconnecting)) { try plan.send("b") }
    plan.refuse(1, "a")
    #expect(plan.taken() == ["fate 1 failed"])

    let waiting = open()
    waiting.received(cut, of: 1)
    waiting.judged(outage, .again(after: .seconds(1)))
    try waiting.send("a")
    _ = waiting.taken()
    waiting.close()
    #expect(waiting.taken() == ["status ended(nil)", "fate 1 failed", "finish nil"])
  }

  @Test func `a reconnection plan requeues messages that an ending connection does not send`()
    throws
  {
    let plan = open()
    try plan.send("a")
    _ = plan.taken()
    plan.refuse(1, "a")
    #expect(plan.status == .disconnecting)
    try plan.send("b")
    plan.received(cut, of: 1)
    plan.judged(outage, .again(after: .zero))
    plan.waited(after: 1)
    #expect(plan.dialed(2))
    _ = plan.taken()
    plan.received(.connected, of: 2)
    #expect(plan.taken() == ["status connected", "emit connected", "send 1", "send 2"])
  }

  @Test func `a reconnection plan reports each send outcome before the end`() throws {
    let plan = open()
    try plan.send("a")
    _ = plan.taken()
    plan.received(cut, of: 1)
    plan.judged(outage, .isOver)
    plan.refuse(1, "a")
    let last = plan.taken().suffix(3)
    #expect(last == ["emit disconnected 1006", "fate 1 failed", "finish nil"])
  }

  @Test func `a reconnection plan closes at once without a connection`() {
    for isStarted in [false, true] {
      let plan = PlanRecorder()
      if isStarted { plan.start() }
      _ = plan.taken()
      plan.close()
      #expect(plan.taken() == ["status ended(nil)", "emit disconnected 1006", "finish nil"])
      plan.close()
      plan.start()
      plan.reconnectNow()
      #expect(plan.taken() == [])
    }
  }
}

/// A reconnection plan, its inputs and its recorded steps.
private final class PlanRecorder {
  private var plan: ReconnectionPlan

  init(_ configuration: ReconnectionConfiguration = .init()) {
    plan = ReconnectionPlan(configuration)
  }

  var status: ReconnectionStatus { plan.status }

  func start() { plan.start() }
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
  /// The connection refuses a message.
  func refuse(_ number: Int, _ text: String) {
    let message = PendingMessage(number: number, message: .text(text))
    plan.unsent(message, .notConnected(.disconnecting))
  }

  /// The pending steps in short form.
  func taken() -> [String] {
    var taken: [String] = []
    while let step = plan.popStep() { taken.append(step.short) }
    return taken
  }
}

extension ReconnectionPlan.Step {
  fileprivate var short: String {
    switch self {
    case .status(let status): "status \(status)"
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
