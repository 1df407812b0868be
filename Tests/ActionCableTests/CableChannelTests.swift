import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableChannelTests {
  private let harness = CableHarness()

  init() { harness.serve() }

  private func connect() {
    harness.client.connect()
    harness.advance(0.1)
  }

  private static func id(_ name: String, _ parameters: [String: JSONValue] = [:]) -> String {
    CableIdentifier(name, parameters).text
  }

  // MARK: Subscribing

  @Test func `C18: a channel subscribes on every connection, unless it is configured not to`() {
    let eager = harness.client.channel("Eager")
    let patient = harness.client.channel("Patient", options: .init(autoSubscribe: false))
    #expect(eager.state == .pending)
    #expect(patient.state == .unsubscribed)
    connect()
    #expect(eager.state == .subscribed)
    #expect(harness.commands("Patient") == [])
    patient.subscribe()
    harness.advance(0.1)
    #expect(patient.state == .subscribed)
    harness.socket.end()
    #expect(eager.state == .pending)
    harness.advance(20)
    #expect(harness.commands("Eager") == ["subscribe", "subscribe"])
    #expect(harness.commands("Patient") == ["subscribe", "subscribe"])
  }

  @Test func `C20: a subscribe in the handler of connected is confirmed`() {
    let channel = harness.client.channel("A", options: .init(autoSubscribe: false))
    let bag = DisposeBag()
    harness.client.events
      .subscribe(onNext: { if case .connected = $0 { channel.subscribe() } })
      .disposed(by: bag)
    connect()
    #expect(channel.state == .subscribed)
    harness.socket.end()
    harness.advance(20)
    #expect(channel.state == .subscribed)
    #expect(harness.commands("A") == ["subscribe", "subscribe"])
  }

  @Test func `C21: a channel delivers each event exactly once, in order`() {
    let channel = harness.client.channel("A")
    let recorder = CableChannelRecorder(channel)
    connect()
    harness.socket.confirm(Self.id("A"))
    harness.socket.message(["n": 1], to: Self.id("A"))
    harness.socket.message(nil, to: Self.id("A"))
    channel.unsubscribe()
    channel.unsubscribe()
    #expect(
      recorder.events
        == [.subscribed(reconnected: false), .message(["n": 1]), .message(nil), .unsubscribed]
    )
    #expect(recorder.states == [.pending, .subscribed, .unsubscribed])
  }

  @Test func `A13: an unsubscribed channel ends at once and does not resubscribe`() {
    let channel = harness.client.channel("A")
    connect()
    channel.unsubscribe()
    #expect(channel.state == .unsubscribed)
    harness.socket.end()
    harness.advance(60)
    #expect(harness.sockets.count == 2)
    #expect(harness.commands("A") == ["subscribe", "unsubscribe"])
  }

  @Test func `A14: a lost connection is reported once, and only to subscribed channels`() {
    let wanted = CableChannelRecorder(harness.client.channel("Wanted"))
    let never = CableChannelRecorder(
      harness.client.channel("Never", options: .init(autoSubscribe: false)))
    connect()
    harness.socket.fail(.connectionLost)
    let cause = CableDisconnection.Cause.failed(.socket(.connectionLost))
    #expect(
      wanted.events
        == [
          .subscribed(reconnected: false), .disconnected(.init(cause: cause, willReconnect: true)),
        ]
    )
    #expect(never.events.isEmpty)
  }

  @Test func `A7, J10: channels of one identifier share a subscription that ends with the last`() {
    let first = harness.client.channel("A")
    var second: CableChannel? = harness.client.channel("A")
    let (one, two) = (CableChannelRecorder(first), second.map(CableChannelRecorder.init))
    connect()
    harness.socket.message(1, to: Self.id("A"))
    first.unsubscribe()
    harness.socket.message(2, to: Self.id("A"))
    #expect(one.messages == [1])
    #expect(two?.messages == [1, 2])
    #expect(harness.commands() == ["subscribe"])
    second?.unsubscribe()
    second = nil
    #expect(harness.commands() == ["subscribe", "unsubscribe"])
  }

  @Test func `a channel that joins a confirmed subscription is subscribed at once`() {
    let first = harness.client.channel("A")
    connect()
    let second = CableChannelRecorder(harness.client.channel("A"))
    #expect(second.events == [.subscribed(reconnected: false)])
    #expect(harness.commands() == ["subscribe"])
    #expect(first.state == .subscribed)
  }

  @Test func `A6, C15: channels of one name receive only the messages of their parameters`() {
    let recorders = (1...2).map { id in
      CableChannelRecorder(harness.client.channel("Chat", ["id": .integer(id)]))
    }
    harness.onCommand = { socket, command in
      guard command.name == "subscribe" else { return }
      let isFirst = command.identifier.contains("1")
      isFirst ? socket.confirm(command.identifier) : socket.reject(command.identifier)
    }
    connect()
    harness.socket.message("to 1", to: Self.id("Chat", ["id": 1]))
    #expect(recorders[0].events == [.subscribed(reconnected: false), .message("to 1")])
    #expect(recorders[1].events == [.rejected])
  }

  @Test func `A15: a released channel keeps no memory and no subscription`() {
    connect()
    for number in 0..<1_000 { _ = harness.client.channel("A", ["n": .integer(number)]) }
    harness.advance(60)
    #expect(harness.commands().filter { $0 == "subscribe" }.count == 1_000)
    #expect(harness.commands().filter { $0 == "unsubscribe" }.count == 1_000)
    #expect(harness.client.identifierCount == 0)
  }

  @Test func `A5: messages before the confirmation are delivered in the order of the wire`() {
    harness.onCommand = { _, _ in }
    let recorder = CableChannelRecorder(harness.client.channel("A"))
    connect()
    harness.socket.message("hello", to: Self.id("A"))
    harness.socket.confirm(Self.id("A"))
    for number in 0..<100 { harness.socket.message(.integer(number), to: Self.id("A")) }
    #expect(recorder.events.prefix(2) == [.message("hello"), .subscribed(reconnected: false)])
    #expect(recorder.messages.dropFirst() == (0..<100).map { .integer($0) }[...])
  }

  @Test func `A10: messages that are not JSON objects are delivered`() {
    let recorder = CableChannelRecorder(harness.client.channel("A"))
    connect()
    let values: [JSONValue] = ["text", 12, 1.5, true, nil, [1], [:], ["type": "ping"]]
    for value in values { harness.socket.message(value, to: Self.id("A")) }
    #expect(recorder.messages == values)
  }

  @Test func `A19, C29: a channel reports a subscribe without an answer, and a rejection`() {
    harness.onCommand = { socket, command in
      if command.identifier.contains("Rejecting") { socket.reject(command.identifier) }
    }
    let silent = harness.client.channel("Silent")
    let (recorder, rejected) = (
      CableChannelRecorder(silent), CableChannelRecorder(harness.client.channel("Rejecting"))
    )
    connect()
    #expect(rejected.events == [.rejected])
    harness.advance(10)
    #expect(recorder.events == [.timedOut(after: .seconds(10))])
    #expect(silent.state == .timedOut)
    silent.subscribe()
    #expect(silent.state == .pending)
    harness.advance(0.25)
    harness.socket.confirm(Self.id("Silent"))
    #expect(silent.state == .subscribed)
  }

  @Test
  func `a confirmation of a channel that is no longer wanted is answered with an unsubscribe`() {
    connect()
    harness.socket.confirm(Self.id("Ghost"))
    harness.socket.message("boo", to: Self.id("Ghost"))
    #expect(harness.commands() == ["unsubscribe"])
    #expect(harness.client.unwantedMessageCount == 1)
  }

  @Test func `the first observer of a channel receives the earlier events`() {
    let channel = harness.client.channel("A")
    connect()
    harness.socket.message(1, to: Self.id("A"))
    let recorder = CableChannelRecorder(channel)
    harness.socket.message(2, to: Self.id("A"))
    #expect(recorder.messages == [1, 2])
    #expect(CableChannelRecorder(channel).events.isEmpty)
  }

  @Test func `an unsubscribe in the handler of a message stops all later messages`() {
    let channel = harness.client.channel("A")
    connect()
    let socket = harness.socket
    let received = SharedVariable<[JSONValue]>([])
    let bag = DisposeBag()
    channel.messages
      .subscribe(onNext: { message in
        received.value.append(message)
        // During the delivery of this message.
        socket.message(2, to: Self.id("A"))
        channel.unsubscribe()
      })
      .disposed(by: bag)
    socket.message(1, to: Self.id("A"))
    #expect(received.value == [1])
  }

  // MARK: Calls

  @Test func `C22, A12: a call is sent as text, with its action and data`() throws {
    let channel = harness.client.channel("Echo")
    connect()
    #expect(try channel.perform("speak", ["text": "hello"]) == .sent)
    #expect(
      harness.socket.sent.last
        == #"{"command":"message","identifier":"{\"channel\":\"Echo\"}","#
        + #""data":"{\"action\":\"speak\",\"text\":\"hello\"}"}"#
    )
  }

  @Test func `C19, A8: calls made offline are sent once, in order, after the confirmation`() throws
  {
    let channel = harness.client.channel("A", options: .init(buffering: .buffer(limit: 3)))
    for number in 1...3 {
      #expect(try channel.perform("say", ["n": .integer(number)]) == .buffered)
    }
    #expect(throws: CableError.bufferFull(limit: 3)) { try channel.perform("say") }
    connect()
    #expect(harness.commands("A") == ["subscribe", "message", "message", "message"])
    let numbers = harness.socket.sent.compactMap { CableHarness.Command($0)?.data?["n"] }
    #expect(numbers == [1, 2, 3])
    harness.socket.end()
    harness.advance(20)
    #expect(harness.commands("A").count == 5)
  }

  @Test func `C19, A8: without buffering, a call offline throws`() {
    let channel = harness.client.channel("A")
    #expect(throws: CableError.notSubscribed(.pending)) { try channel.perform("say") }
    connect()
    channel.unsubscribe()
    #expect(throws: CableError.notSubscribed(.unsubscribed)) { try channel.perform("say") }
  }

  @Test func `queued calls that are never sent are reported once each`() throws {
    harness.onCommand = { socket, command in
      if command.identifier.contains("Rejecting") { socket.reject(command.identifier) }
    }
    let options = CableChannelOptions(buffering: .buffer(limit: 3))
    let rejecting = harness.client.channel("Rejecting", options: options)
    let (silent, left) = (
      harness.client.channel("Silent", options: options),
      harness.client.channel("Left", options: options)
    )
    let recorders = [rejecting, silent, left].map(CableChannelRecorder.init)
    for channel in [rejecting, silent, left] { try channel.perform("say") }
    connect()
    left.unsubscribe()
    harness.advance(20)
    #expect(recorders[0].failures == [.notSubscribed(.rejected)])
    #expect(recorders[1].failures == [.notSubscribed(.timedOut)])
    #expect(recorders[2].failures == [.notSubscribed(.unsubscribed)])
  }
}
