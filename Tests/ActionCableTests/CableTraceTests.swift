import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

/// The official JavaScript client's recorded behaviour, to the millisecond: `js-client-trace.jsonl`.
@Suite(.workerPool) struct CableTraceTests {
  /// What the official client did, without what it tells of the making of objects.
  private func expected(_ scenario: CableFixtures.Scenario) -> [CableStage.Entry] {
    scenario.trace.compactMap { step in
      let what: String? =
        switch (step.what, step.n) {
        case ("socket.new", let number?), ("socket.close", let number?): "\(step.what) \(number)"
        case ("send", let number?): "send \(number) \(step.frame?.text ?? "")"
        case ("app.perform", _): "app.perform \(step.returned == true)"
        case (let what, _) where what.hasPrefix("app.") || what.hasSuffix(".initialized"): nil
        case (let what, _): "\(what)\(step.arg.map { " \($0)" } ?? "")"
        }
      return what.map { CableStage.Entry(time: step.t, what: $0) }
    }
  }

  private func check(
    _ stage: CableStage,
    against id: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = expected(try CableFixtures.scenario(id, random: stage.random))
    let trace = Array(stage.trace.prefix(expected.count))
    #expect(trace.map(\.what) == expected.map(\.what), sourceLocation: sourceLocation)
    for (ours, theirs) in zip(trace, expected) {
      let difference = abs(ours.time - theirs.time)
      #expect(
        difference < 0.0011, "\(ours), theirs at \(theirs.time)", sourceLocation: sourceLocation)
    }
  }

  /// A channel that writes what it hears into the trace, in the words of the official client.
  private func channel(_ name: String, _ stage: CableStage, as label: String? = nil) -> Disposable {
    let label = label ?? name
    return stage.client.channel(name).events.subscribe(onNext: { [weak stage] event in
      guard let stage else { return }
      switch event {
      case .subscribed(let reconnected):
        stage.note("\(label).connected \(JSONValue.object(["reconnected": .bool(reconnected)]))")
      case .message(let message): stage.note("\(label).received \(message)")
      case .rejected: stage.note("\(label).rejected")
      case .disconnected(let ending):
        let argument = JSONValue.object(["willAttemptReconnect": .bool(ending.willReconnect)])
        stage.note("\(label).disconnected \(argument)")
      case .unsubscribed, .timedOut, .performFailed: break
      }
    })
  }

  private static let randoms = [0, 0.5, 0.999]

  @Test(arguments: randoms)
  func `J02: attempts that are refused for ever come at the official client's times`(
    random: Double
  ) throws {
    let stage = CableStage(random: random)
    stage.client.connect()
    stage.advance(160)
    try check(stage, against: "refused")
  }

  @Test(arguments: randoms)
  func `A2: an attempt that hangs is the only one`(random: Double) throws {
    let stage = CableStage(random: random)
    stage.onConnect = { _ in }
    stage.client.connect()
    stage.advance(600)
    try check(stage, against: "hangs")
    #expect(stage.trace.count == 1)
  }

  @Test(arguments: randoms)
  func `J01: a server that is silent after its welcome is left and tried again`(
    random: Double
  ) throws {
    let stage = CableStage(random: random)
    stage.serve(pinging: nil)
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(60)
    try check(stage, against: "silent_after_welcome")
    a.dispose()
  }

  @Test(arguments: randoms)
  func `a connection that the server closes is replaced at the next look`(random: Double) throws {
    let stage = CableStage(random: random)
    stage.serve()
    let a = channel("A", stage)
    stage.at(20) { stage.socket.end() }
    stage.client.connect()
    stage.advance(40)
    try check(stage, against: "clean_close_after_20s")
    a.dispose()
  }

  @Test func `J08: disconnect with reconnect true is obeyed`() throws {
    let stage = CableStage()
    stage.serve()
    let a = channel("A", stage)
    stage.at(20) { stage.socket.disconnect("server_restart", reconnect: true) }
    stage.client.connect()
    stage.advance(40)
    try check(stage, against: "disconnect_reconnect_true")
    a.dispose()
  }

  @Test func `J07: disconnect with reconnect false is obeyed, until connect`() throws {
    let stage = CableStage()
    stage.serve()
    let a = channel("A", stage)
    stage.at(20) { stage.socket.disconnect("remote", reconnect: false) }
    stage.client.connect()
    stage.advance(80)
    stage.client.connect()
    stage.advance(10)
    try check(stage, against: "disconnect_reconnect_false")
    a.dispose()
  }

  @Test func `J05: a subscribe is sent every half second until it is answered`() throws {
    let stage = CableStage()
    stage.serve()
    stage.onCommand = { _, _ in }
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(4)
    try check(stage, against: "never_confirmed")
    a.dispose()
  }

  @Test func `J05: the third subscribe is confirmed`() throws {
    let stage = CableStage()
    stage.serve()
    var asked = 0
    stage.onCommand = { socket, command in
      asked += 1
      if asked == 3 { socket.confirm(command.identifier, after: .milliseconds(1)) }
    }
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(4)
    try check(stage, against: "confirmed_at_third")
    #expect(asked == 3)
    a.dispose()
  }

  @Test func `J06: a rejected channel is not asked for after a reconnect`() throws {
    let stage = CableStage()
    stage.serve(pinging: nil)
    stage.onCommand = { socket, command in
      if command.identifier.contains("A") {
        socket.reject(command.identifier, after: .milliseconds(1))
      } else {
        socket.confirm(command.identifier, after: .milliseconds(1))
      }
    }
    stage.client.connect()
    stage.advance(0.001)
    let (a, b) = (channel("A", stage), channel("B", stage))
    stage.at(1) { stage.socket.end() }
    stage.advance(15)
    try check(stage, against: "rejected")
    a.dispose()
    b.dispose()
  }

  @Test func `a call without a connection fails, and nothing is kept`() throws {
    let stage = CableStage()
    stage.serve(pinging: nil)
    let a = stage.client.channel("A")
    let listening = channel("A", stage)
    func perform() {
      let isSent = (try? a.perform("speak", ["text": "sent"])) == .sent
      stage.note("app.perform \(isSent)")
    }
    stage.at(1) {
      stage.socket.end()
      perform()
    }
    stage.client.connect()
    stage.advance(14)
    stage.socket.ping(every: .seconds(3))
    stage.at(20, perform)
    stage.advance(10)
    // Their data is not sorted.
    let theirs = try CableFixtures.scenario("send_while_closed")
    let sent = try #require(theirs.trace.last { $0.what == "send" }?.frame?["data"]?.string)
    #expect(try JSONValue(parsing: sent) == ["text": "sent", "action": "speak"])
    let ours = stage.trace.map(\.what)
    #expect(
      ours.filter { $0.hasPrefix("app.perform") } == ["app.perform false", "app.perform true"])
    #expect(stage.commands("A") == ["subscribe", "subscribe", "message"])
    #expect(stage.trace.last?.time == 20)
    listening.dispose()
  }

  @Test func `J11: connect after disconnect restores the channels`() throws {
    let stage = CableStage()
    stage.serve()
    let a = channel("A", stage)
    stage.at(5) { stage.client.disconnect() }
    stage.at(30) { stage.client.connect() }
    stage.client.connect()
    stage.advance(35)
    try check(stage, against: "disconnect_then_connect")
    a.dispose()
  }

  @Test func `J09: a server that speaks another protocol is left, and not tried again`() throws {
    for subprotocol in ["actioncable-unsupported", nil] {
      let stage = CableStage()
      stage.onConnect = { $0.accept(subprotocol: subprotocol) }
      let a = channel("A", stage)
      stage.client.connect()
      stage.advance(60)
      try check(stage, against: "unsupported_protocol")
      #expect(stage.client.state == .disconnected(.failed(.unsupportedProtocol(subprotocol))))
      a.dispose()
    }
  }

  @Test func `a connection whose pings stop is replaced`() throws {
    let stage = CableStage(random: 0.5)
    stage.onConnect = { socket in
      socket.accept()
      socket.ping(every: .seconds(3), until: socket.number == 1 ? 9 : .infinity)
    }
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(40)
    try check(stage, against: "stale_then_reopen")
    a.dispose()
  }

  // MARK: What we do better

  @Test func `each channel is asked for half a second after it was asked for, whatever others do`()
    throws
  {
    let stage = CableStage()
    stage.serve()
    stage.onCommand = { _, _ in }
    stage.client.connect()
    stage.advance(0.001)
    let a = channel("A", stage)
    stage.advance(0.3)
    let b = channel("B", stage)
    stage.advance(1.1)
    let sends = stage.trace.filter { $0.what.hasPrefix("send") }
    #expect(sends.map(\.time) == [0.001, 0.301, 0.501, 0.801, 1.001, 1.301])
    // There, A waits for as long as others come.
    let theirs = expected(try CableFixtures.scenario("created_while_pending"))
    #expect(theirs.filter { $0.what.hasPrefix("send") }.map(\.time).contains(0.501) == false)
    a.dispose()
    b.dispose()
  }

  @Test func `J10: two subscribers of one identifier are one subscription, confirmed once each`()
    throws
  {
    let stage = CableStage()
    stage.serve()
    stage.client.connect()
    stage.advance(0.001)
    let first = channel("A", stage, as: "A1")
    let second = channel("A", stage, as: "A2")
    stage.advance(to: 0.1)
    let identifier = CableIdentifier("A").text
    stage.socket.message(["x": 1], to: identifier)
    first.dispose()
    stage.socket.message(["x": 2], to: identifier)
    second.dispose()
    stage.socket.message(["x": 3], to: identifier)
    var theirs = expected(try CableFixtures.scenario("same_identifier_twice"))
    // The second subscribe, and what its confirmation brings.
    theirs.remove(at: 5)
    theirs.remove(at: 4)
    theirs.remove(at: 2)
    #expect(stage.trace.map(\.what) == theirs.map(\.what))
    #expect(stage.client.unwantedMessages == 1)
  }

  @Test func `J04: after a reconnect all channels know that they were there before`() throws {
    let stage = CableStage()
    stage.serve()
    let (a, b) = (channel("A", stage), channel("B", stage))
    stage.at(1) { stage.socket.end() }
    stage.client.connect()
    stage.advance(13)
    let theirs = expected(try CableFixtures.scenario("reconnected_flag"))
    #expect(stage.trace.dropLast() == theirs.dropLast())
    #expect(stage.trace.last?.what == #"B.connected {"reconnected":true}"#)
    a.dispose()
    b.dispose()
  }

  @Test func `A9, J14: text that is not JSON is told, and the connection goes on`() {
    let stage = CableStage()
    stage.serve()
    let logbook = CableLogbook(stage.client)
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(0.1)
    stage.socket.receive("{not json")
    stage.advance(60)
    #expect(logbook.events.contains(.notUnderstood(.text("{not json"))))
    #expect(stage.sockets.count == 1)
    a.dispose()
  }

  @Test func `J07: after unauthorized no other channel connects again`() throws {
    let stage = CableStage()
    stage.onConnect = { socket in
      socket.accept(welcome: false)
      socket.disconnect("unauthorized", reconnect: false)
    }
    let a = channel("A", stage)
    stage.client.connect()
    stage.advance(30)
    let b = channel("B", stage)
    stage.advance(60)
    // There, a new subscription tries again, and is refused again.
    let theirs = expected(try CableFixtures.scenario("unauthorized_then_new_subscription"))
    #expect(stage.trace == Array(theirs.prefix(3)))
    #expect(stage.client.state == .disconnected(.announced(reason: "unauthorized")))
    a.dispose()
    b.dispose()
  }
}
