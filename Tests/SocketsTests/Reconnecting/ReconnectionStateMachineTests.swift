import TestSupport
import Testing

@testable import Sockets

@Suite("The state machine of a reconnecting WebSocket", .workerPool)
struct ReconnectionStateMachineTests {
  /// A machine whose first connection is open; its outputs are removed.
  private func open(_ configuration: ReconnectionConfiguration = .init()) -> MachineProbe {
    let machine = MachineProbe(configuration)
    machine.connect()
    #expect(machine.created(1))
    machine.received(.connected, of: 1)
    _ = machine.taken()
    return machine
  }

  private let cut = WebSocketEvent.disconnected(code: .abnormal, reason: "")
  private let outage = WebSocketOutage(error: nil, code: .abnormal, reason: "")

  @Test func `a reconnection plan begins once`() {
    let machine = MachineProbe()
    machine.connect()
    machine.connect()
    #expect(machine.taken() == ["state connecting(retry: 0)", "create 1"])
  }

  @Test func `a reconnection plan sends queued messages on connecting, then later ones`() throws {
    let machine = MachineProbe()
    try machine.send("a")
    machine.connect()
    try machine.send("b")
    #expect(machine.created(1))
    _ = machine.taken()
    machine.received(.connected, of: 1)
    try machine.send("c")
    #expect(
      machine.taken() == ["state connected", "emit connected", "send 1", "send 2", "send 3"])
  }

  @Test func `a reconnection plan sends nothing before the hook has run`() throws {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    let machine = MachineProbe(configuration)
    machine.connect()
    #expect(machine.created(1))
    _ = machine.taken()
    machine.received(.connected, of: 1)
    try machine.send("a")
    #expect(machine.taken() == ["state connected", "emit connected", "resume 1"])
    machine.resumed(1)
    #expect(machine.taken() == ["send 1"])
  }

  @Test func `a reconnection plan refuses messages that cannot be queued while the hook runs`()
    throws
  {
    var configuration = ReconnectionConfiguration()
    configuration.resume = { _ in }
    configuration.backlog = .fail
    let machine = open(configuration)
    #expect(throws: WebSocketError.notConnected(.connecting)) { try machine.send("a") }
    machine.resumed(1)
    try machine.send("b")
    #expect(machine.taken() == ["send 1"])
  }

  @Test func `a reconnection plan waits, and ignores events of the ended connection`() {
    let machine = open()
    machine.received(cut, of: 1, at: .seconds(1))
    #expect(machine.taken() == ["decide 0"])
    machine.decided(outage, .retry(after: .seconds(2)))
    #expect(machine.state == .waitingToReconnect(retry: 1, delay: .seconds(2), error: nil))
    #expect(machine.taken().suffix(2) == ["emit disconnected 1006", "wait 1"])
    machine.received(.message(.text("late")), of: 1, at: .seconds(1))
    machine.received(cut, of: 1, at: .seconds(1))
    machine.failed(1, .connectionLost)
    #expect(machine.taken() == [])
    machine.waited(after: 1)
    machine.waited(after: 1)
    #expect(machine.taken() == ["state connecting(retry: 1)", "create 2"])
    #expect(!machine.created(1))
  }

  @Test func `a reconnection plan counts from 0 again only after a stable connection`() {
    let machine = open()
    for (attempt, life) in [(1, 4.9), (2, 4.9), (3, 5.0), (4, 0.0)] {
      let retries = [1: 0, 2: 1, 3: 0, 4: 1][attempt] ?? 0
      machine.received(cut, of: attempt, at: .seconds(life))
      #expect(machine.taken() == ["decide \(retries)"])
      machine.decided(outage, .retry(after: .zero))
      machine.waited(after: attempt)
      #expect(machine.created(attempt + 1))
      machine.received(.connected, of: attempt + 1)
      _ = machine.taken()
    }
  }

  @Test func `a reconnection plan closes an attempt that times out, and judges it at its end`() {
    let machine = MachineProbe()
    machine.connect()
    #expect(machine.created(1))
    _ = machine.taken()
    machine.failed(1, .handshakeTimedOut(after: .seconds(30)))
    #expect(machine.taken() == ["emit error", "close 1001"])
    machine.received(.connected, of: 1)
    machine.received(cut, of: 1)
    #expect(machine.taken() == ["decide 0"])
  }

  @Test func `a reconnection plan ends with the number of attempts and the last error`() {
    let machine = open()
    machine.received(.error(.connectionLost), of: 1)
    machine.received(cut, of: 1)
    let lost = WebSocketOutage(error: WebSocketError.connectionLost, code: .abnormal, reason: "")
    machine.decided(lost, .retry(after: .zero))
    machine.waited(after: 1)
    machine.failed(2, .connectionLost)
    machine.decided(lost, .giveUp)
    let error = WebSocketError.gaveUp(attempts: 1, last: .connectionLost)
    #expect(machine.state == .disconnected(error))
    #expect(
      machine.taken().filter { !$0.hasPrefix("state") }.suffix(3) == [
        "emit error", "emit disconnected 1006", "finish \(error)",
      ])
  }

  @Test func `a reconnection plan sends accepted messages before it closes, and fails queued ones`()
    throws
  {
    let machine = open()
    try machine.send("a")
    machine.close()
    #expect(machine.taken() == ["send 1", "state disconnecting", "close 1000"])
    #expect(throws: WebSocketError.notConnected(.disconnecting)) { try machine.send("b") }
    machine.refuse(1, "a")
    #expect(machine.taken() == ["outcome 1 failed"])

    let waiting = open()
    waiting.received(cut, of: 1)
    waiting.decided(outage, .retry(after: .seconds(1)))
    try waiting.send("a")
    _ = waiting.taken()
    waiting.close()
    #expect(waiting.taken() == ["state disconnected(nil)", "outcome 1 failed", "finish nil"])
  }

  @Test func `a reconnection plan requeues messages that an ending connection does not send`()
    throws
  {
    let machine = open()
    try machine.send("a")
    _ = machine.taken()
    machine.refuse(1, "a")
    #expect(machine.state == .disconnecting)
    try machine.send("b")
    machine.received(cut, of: 1)
    machine.decided(outage, .retry(after: .zero))
    machine.waited(after: 1)
    #expect(machine.created(2))
    _ = machine.taken()
    machine.received(.connected, of: 2)
    #expect(machine.taken() == ["state connected", "emit connected", "send 1", "send 2"])
  }

  @Test func `a reconnection plan reports each send outcome before the end`() throws {
    let machine = open()
    try machine.send("a")
    _ = machine.taken()
    machine.received(cut, of: 1)
    machine.decided(outage, .end)
    machine.refuse(1, "a")
    let last = machine.taken().suffix(3)
    #expect(last == ["emit disconnected 1006", "outcome 1 failed", "finish nil"])
  }

  @Test func `a reconnection plan sends the requests of a lost connection again, before the rest`()
    throws
  {
    let machine = open()
    try machine.send("a", of: RequestTicket(1))
    try machine.send("b")
    #expect(machine.taken() == ["send request 1", "send 1"])
    machine.refuse(1, "b")
    machine.received(cut, of: 1)
    try machine.send("c")
    machine.sendAgain("a", of: RequestTicket(1))
    machine.decided(outage, .retry(after: .zero))
    machine.waited(after: 1)
    #expect(machine.created(2))
    _ = machine.taken()
    machine.received(.connected, of: 2)
    let sent = machine.taken().filter { $0.hasPrefix("send") }
    #expect(sent == ["send request 1", "send 1", "send 2"])
  }

  @Test func `a reconnection plan that has ended sends no request again`() {
    let machine = open()
    machine.received(cut, of: 1)
    machine.close()
    _ = machine.taken()
    machine.sendAgain("a", of: RequestTicket(1))
    #expect(machine.taken().first == "outcome request 1 failed")
  }

  @Test func `a reconnection plan closes at once without a connection`() {
    for isStarted in [false, true] {
      let machine = MachineProbe()
      if isStarted { machine.connect() }
      _ = machine.taken()
      machine.close()
      #expect(
        machine.taken() == ["state disconnected(nil)", "emit disconnected 1006", "finish nil"])
      machine.close()
      machine.connect()
      machine.reconnectNow()
      #expect(machine.taken() == [])
    }
  }
}

/// A state machine whose outputs a test reads as text.
private final class MachineProbe {
  private var machine: ReconnectionStateMachine

  init(_ configuration: ReconnectionConfiguration = .init()) {
    machine = ReconnectionStateMachine(configuration)
  }

  var state: ReconnectionState { machine.state }

  func connect() { machine.connect() }
  func reconnectNow() { machine.reconnectNow() }
  func close() { machine.close(.normal, "") }
  func send(_ text: String) throws(WebSocketError) { try machine.send(.text(text)) }
  func created(_ attempt: Int) -> Bool { machine.created(attempt) }
  func failed(_ attempt: Int, _ error: WebSocketError) { machine.failed(attempt, error) }
  func resumed(_ attempt: Int) { machine.resumed(attempt) }
  func waited(after attempt: Int) { machine.waited(after: attempt) }
  func decided(_ outage: WebSocketOutage, _ decision: ReconnectionStateMachine.Decision) {
    machine.decided(outage, decision)
  }
  func received(_ event: WebSocketEvent, of attempt: Int, at now: Duration = .zero) {
    machine.received(event, of: attempt, at: now)
  }
  func send(_ text: String, of ticket: RequestTicket) throws(WebSocketError) {
    try machine.send(.text(text), of: ticket)
  }
  func sendAgain(_ text: String, of ticket: RequestTicket) {
    machine.sendAgain([PendingMessage(origin: .request(ticket), message: .text(text))])
  }
  /// The connection refuses a message that it was to send.
  func refuse(_ number: Int, _ text: String) {
    let message = PendingMessage(origin: .send(number: number), message: .text(text))
    machine.unsent(message, .notConnected(.disconnecting))
  }

  /// Removes and returns the outputs.
  func taken() -> [String] {
    var taken: [String] = []
    while let output = machine.popOutput() { taken.append(output.short) }
    return taken
  }
}

extension PendingMessage {
  /// The number of the message, or of its request.
  fileprivate var name: String {
    switch origin {
    case .send(let number): "\(number)"
    case .request(let ticket): "request \(ticket.number)"
    }
  }
}

extension ReconnectionStateMachine.Output {
  fileprivate var short: String {
    switch self {
    case .state(let state): "state \(state)"
    case .emit(.connected): "emit connected"
    case .emit(.message(let message)): "emit \(message.text ?? "")"
    case .emitDelivered(let message, _): "emit delivered \(message.text ?? "")"
    case .emit(.error): "emit error"
    case .emit(.disconnected(let code, _)): "emit disconnected \(code)"
    case .report(let message, .sent): "outcome \(message.name) sent"
    case .report(let message, .dropped): "outcome \(message.name) dropped"
    case .report(let message, .failed): "outcome \(message.name) failed"
    case .create(let attempt): "create \(attempt)"
    case .connect(let attempt): "connect \(attempt)"
    case .resume(let attempt): "resume \(attempt)"
    case .send(let message): "send \(message.name)"
    case .close(let code, _): "close \(code)"
    case .decide(_, let retries): "decide \(retries)"
    case .wait(let attempt, _): "wait \(attempt)"
    case .finish(let error): "finish \(error.map { "\($0)" } ?? "nil")"
    }
  }
}
