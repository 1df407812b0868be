import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

/// The recorded behavior of the official JavaScript client, to the millisecond:
/// `js-client-trace.jsonl`.
@Suite(.workerPool) struct CableTraceTests {
  /// The steps of the official client, without those of creating objects.
  private func expected(_ scenario: CableRecordings.Scenario) -> [CableHarness.Entry] {
    scenario.trace.compactMap { step in
      let what: String? =
        switch (step.what, step.n) {
        case ("socket.new", let number?), ("socket.close", let number?): "\(step.what) \(number)"
        case ("send", let number?): "send \(number) \(step.frame?.text ?? "")"
        case ("app.perform", _): "app.perform \(step.returned == true)"
        case (let what, _) where what.hasPrefix("app.") || what.hasSuffix(".initialized"): nil
        case (let what, _): "\(what)\(step.arg.map { " \($0)" } ?? "")"
        }
      return what.map { CableHarness.Entry(time: step.t, what: $0) }
    }
  }

  private func check(
    _ harness: CableHarness,
    against id: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = expected(try CableRecordings.scenario(id, random: harness.random))
    let trace = Array(harness.trace.prefix(expected.count))
    #expect(trace.map(\.what) == expected.map(\.what), sourceLocation: sourceLocation)
    for (ours, theirs) in zip(trace, expected) {
      let difference = abs(ours.time - theirs.time)
      #expect(
        difference < 0.0011, "\(ours), theirs at \(theirs.time)", sourceLocation: sourceLocation)
    }
  }

  /// A channel that adds its events to the trace in the format of the official client.
  private func channel(_ name: String, _ harness: CableHarness, as label: String? = nil)
    -> Disposable
  {
    let label = label ?? name
    return harness.client.channel(name).events.subscribe(onNext: { [weak harness] event in
      guard let harness else { return }
      switch event {
      case .subscribed(let reconnected):
        harness.note("\(label).connected \(JSONValue.object(["reconnected": .bool(reconnected)]))")
      case .message(let message): harness.note("\(label).received \(message)")
      case .rejected: harness.note("\(label).rejected")
      case .disconnected(let ending):
        let argument = JSONValue.object(["willAttemptReconnect": .bool(ending.willReconnect)])
        harness.note("\(label).disconnected \(argument)")
      case .unsubscribed, .timedOut, .performFailed: break
      }
    })
  }

  private static let randoms = [0, 0.5, 0.999]

  @Test(arguments: randoms)
  func `J02: refused attempts follow the times of the official client`(
    random: Double
  ) throws {
    let harness = CableHarness(random: random)
    harness.client.connect()
    harness.advance(160)
    try check(harness, against: "refused")
  }

  @Test(arguments: randoms)
  func `A2: an attempt that hangs stays the only one`(random: Double) throws {
    let harness = CableHarness(random: random)
    harness.onConnect = { _ in }
    harness.client.connect()
    harness.advance(600)
    try check(harness, against: "hangs")
    #expect(harness.trace.count == 1)
  }

  @Test(arguments: randoms)
  func `J01: a server that is silent after its welcome is disconnected and retried`(
    random: Double
  ) throws {
    let harness = CableHarness(random: random)
    harness.serve(pinging: nil)
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(60)
    try check(harness, against: "silent_after_welcome")
    a.dispose()
  }

  @Test(arguments: randoms)
  func `a connection that the server closes is replaced at the next poll`(random: Double) throws {
    let harness = CableHarness(random: random)
    harness.serve()
    let a = channel("A", harness)
    harness.at(20) { harness.socket.end() }
    harness.client.connect()
    harness.advance(40)
    try check(harness, against: "clean_close_after_20s")
    a.dispose()
  }

  @Test func `J08: disconnect with reconnect true reconnects`() throws {
    let harness = CableHarness()
    harness.serve()
    let a = channel("A", harness)
    harness.at(20) { harness.socket.disconnect("server_restart", reconnect: true) }
    harness.client.connect()
    harness.advance(40)
    try check(harness, against: "disconnect_reconnect_true")
    a.dispose()
  }

  @Test func `J07: disconnect with reconnect false does not reconnect before connect`() throws {
    let harness = CableHarness()
    harness.serve()
    let a = channel("A", harness)
    harness.at(20) { harness.socket.disconnect("remote", reconnect: false) }
    harness.client.connect()
    harness.advance(80)
    harness.client.connect()
    harness.advance(10)
    try check(harness, against: "disconnect_reconnect_false")
    a.dispose()
  }

  @Test func `J05: a subscribe is repeated every half second until it is answered`() throws {
    let harness = CableHarness()
    harness.serve()
    harness.onCommand = { _, _ in }
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(4)
    try check(harness, against: "never_confirmed")
    a.dispose()
  }

  @Test func `J05: the third subscribe is confirmed`() throws {
    let harness = CableHarness()
    harness.serve()
    var asked = 0
    harness.onCommand = { socket, command in
      asked += 1
      if asked == 3 { socket.confirm(command.identifier, after: .milliseconds(1)) }
    }
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(4)
    try check(harness, against: "confirmed_at_third")
    #expect(asked == 3)
    a.dispose()
  }

  @Test func `J06: a rejected channel is not subscribed again after a reconnect`() throws {
    let harness = CableHarness()
    harness.serve(pinging: nil)
    harness.onCommand = { socket, command in
      if command.identifier.contains("A") {
        socket.reject(command.identifier, after: .milliseconds(1))
      } else {
        socket.confirm(command.identifier, after: .milliseconds(1))
      }
    }
    harness.client.connect()
    harness.advance(0.001)
    let (a, b) = (channel("A", harness), channel("B", harness))
    harness.at(1) { harness.socket.end() }
    harness.advance(15)
    try check(harness, against: "rejected")
    a.dispose()
    b.dispose()
  }

  @Test func `a call without a connection fails, and is not kept`() throws {
    let harness = CableHarness()
    harness.serve(pinging: nil)
    let a = harness.client.channel("A")
    let listening = channel("A", harness)
    func perform() {
      let isSent = (try? a.perform("speak", ["text": "sent"])) == .sent
      harness.note("app.perform \(isSent)")
    }
    harness.at(1) {
      harness.socket.end()
      perform()
    }
    harness.client.connect()
    harness.advance(14)
    harness.socket.ping(every: .seconds(3))
    harness.at(20, perform)
    harness.advance(10)
    // The data of the official client is not sorted.
    let theirs = try CableRecordings.scenario("send_while_closed")
    let sent = try #require(theirs.trace.last { $0.what == "send" }?.frame?["data"]?.string)
    #expect(try JSONValue(parsing: sent) == ["text": "sent", "action": "speak"])
    let ours = harness.trace.map(\.what)
    #expect(
      ours.filter { $0.hasPrefix("app.perform") } == ["app.perform false", "app.perform true"])
    #expect(harness.commands("A") == ["subscribe", "subscribe", "message"])
    #expect(harness.trace.last?.time == 20)
    listening.dispose()
  }

  @Test func `J11: connect after disconnect subscribes the channels again`() throws {
    let harness = CableHarness()
    harness.serve()
    let a = channel("A", harness)
    harness.at(5) { harness.client.disconnect() }
    harness.at(30) { harness.client.connect() }
    harness.client.connect()
    harness.advance(35)
    try check(harness, against: "disconnect_then_connect")
    a.dispose()
  }

  @Test func `J09: a server with another subprotocol is disconnected, and not retried`() throws {
    for subprotocol in ["actioncable-unsupported", nil] {
      let harness = CableHarness()
      harness.onConnect = { $0.accept(subprotocol: subprotocol) }
      let a = channel("A", harness)
      harness.client.connect()
      harness.advance(60)
      try check(harness, against: "unsupported_protocol")
      #expect(harness.client.state == .disconnected(.failed(.unsupportedProtocol(subprotocol))))
      a.dispose()
    }
  }

  @Test func `a connection without pings is replaced`() throws {
    let harness = CableHarness(random: 0.5)
    harness.onConnect = { socket in
      socket.accept()
      socket.ping(every: .seconds(3), until: socket.number == 1 ? 9 : .infinity)
    }
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(40)
    try check(harness, against: "stale_then_reopen")
    a.dispose()
  }

  // MARK: Differences from the official client

  @Test func `each channel repeats its subscribe every half second, independent of other channels`()
    throws
  {
    let harness = CableHarness()
    harness.serve()
    harness.onCommand = { _, _ in }
    harness.client.connect()
    harness.advance(0.001)
    let a = channel("A", harness)
    harness.advance(0.3)
    let b = channel("B", harness)
    harness.advance(1.1)
    let sends = harness.trace.filter { $0.what.hasPrefix("send") }
    #expect(sends.map(\.time) == [0.001, 0.301, 0.501, 0.801, 1.001, 1.301])
    // In the official client, A waits while other channels are added.
    let theirs = expected(try CableRecordings.scenario("created_while_pending"))
    #expect(theirs.filter { $0.what.hasPrefix("send") }.map(\.time).contains(0.501) == false)
    a.dispose()
    b.dispose()
  }

  @Test func `J10: two subscribers of one identifier are one subscription, confirmed once each`()
    throws
  {
    let harness = CableHarness()
    harness.serve()
    harness.client.connect()
    harness.advance(0.001)
    let first = channel("A", harness, as: "A1")
    let second = channel("A", harness, as: "A2")
    harness.advance(to: 0.1)
    let identifier = CableIdentifier("A").text
    harness.socket.message(["x": 1], to: identifier)
    first.dispose()
    harness.socket.message(["x": 2], to: identifier)
    second.dispose()
    harness.socket.message(["x": 3], to: identifier)
    var theirs = expected(try CableRecordings.scenario("same_identifier_twice"))
    // The second subscribe, and the effects of its confirmation.
    theirs.remove(at: 5)
    theirs.remove(at: 4)
    theirs.remove(at: 2)
    #expect(harness.trace.map(\.what) == theirs.map(\.what))
    #expect(harness.client.unwantedMessageCount == 1)
  }

  @Test func `J04: after a reconnect all channels report that they were subscribed before`() throws
  {
    let harness = CableHarness()
    harness.serve()
    let (a, b) = (channel("A", harness), channel("B", harness))
    harness.at(1) { harness.socket.end() }
    harness.client.connect()
    harness.advance(13)
    let theirs = expected(try CableRecordings.scenario("reconnected_flag"))
    #expect(harness.trace.dropLast() == theirs.dropLast())
    #expect(harness.trace.last?.what == #"B.connected {"reconnected":true}"#)
    a.dispose()
    b.dispose()
  }

  @Test func `A9, J14: text that is not JSON is reported, and the connection continues`() {
    let harness = CableHarness()
    harness.serve()
    let clientRecorder = CableClientRecorder(harness.client)
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(0.1)
    harness.socket.receive("{not json")
    harness.advance(60)
    #expect(clientRecorder.events.contains(.notUnderstood(.text("{not json"))))
    #expect(harness.sockets.count == 1)
    a.dispose()
  }

  @Test func `J07: after unauthorized, a new channel does not connect`() throws {
    let harness = CableHarness()
    harness.onConnect = { socket in
      socket.accept(welcome: false)
      socket.disconnect("unauthorized", reconnect: false)
    }
    let a = channel("A", harness)
    harness.client.connect()
    harness.advance(30)
    let b = channel("B", harness)
    harness.advance(60)
    // In the official client, a new subscription connects again, and is refused again.
    let theirs = expected(try CableRecordings.scenario("unauthorized_then_new_subscription"))
    #expect(harness.trace == Array(theirs.prefix(3)))
    #expect(harness.client.state == .disconnected(.announced(reason: "unauthorized")))
    a.dispose()
    b.dispose()
  }
}
