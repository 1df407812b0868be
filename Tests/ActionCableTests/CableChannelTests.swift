import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct CableChannelTests {
  private let stage = CableStage()

  init() { stage.serve() }

  private func connect() {
    stage.client.connect()
    stage.advance(0.1)
  }

  private static func id(_ name: String, _ parameters: [String: JSONValue] = [:]) -> String {
    CableIdentifier(name, parameters).text
  }

  // MARK: Subscribing

  @Test func `C18: subscribes by itself, on every connection, unless it is told not to`() {
    let eager = stage.client.channel("Eager")
    let patient = stage.client.channel("Patient", options: .init(autoSubscribe: false))
    #expect(eager.state == .pending)
    #expect(patient.state == .unsubscribed)
    connect()
    #expect(eager.state == .subscribed)
    #expect(stage.commands("Patient") == [])
    patient.subscribe()
    stage.advance(0.1)
    #expect(patient.state == .subscribed)
    stage.socket.end()
    #expect(eager.state == .pending)
    stage.advance(20)
    #expect(stage.commands("Eager") == ["subscribe", "subscribe"])
    #expect(stage.commands("Patient") == ["subscribe", "subscribe"])
  }

  @Test func `C20: a subscribe in the handler of connected is confirmed`() {
    let channel = stage.client.channel("A", options: .init(autoSubscribe: false))
    let bag = DisposeBag()
    stage.client.events
      .subscribe(onNext: { if case .connected = $0 { channel.subscribe() } })
      .disposed(by: bag)
    connect()
    #expect(channel.state == .subscribed)
    stage.socket.end()
    stage.advance(20)
    #expect(channel.state == .subscribed)
    #expect(stage.commands("A") == ["subscribe", "subscribe"])
  }

  @Test func `C21: everything is told exactly once, in order`() {
    let channel = stage.client.channel("A")
    let recorder = CableDiary(channel)
    connect()
    stage.socket.confirm(Self.id("A"))
    stage.socket.message(["n": 1], to: Self.id("A"))
    stage.socket.message(nil, to: Self.id("A"))
    channel.unsubscribe()
    channel.unsubscribe()
    #expect(
      recorder.events
        == [.subscribed(reconnected: false), .message(["n": 1]), .message(nil), .unsubscribed]
    )
    #expect(recorder.states == [.pending, .subscribed, .unsubscribed])
  }

  @Test func `A13: an unsubscribed channel is so at once, and does not come back`() {
    let channel = stage.client.channel("A")
    connect()
    channel.unsubscribe()
    #expect(channel.state == .unsubscribed)
    stage.socket.end()
    stage.advance(60)
    #expect(stage.sockets.count == 2)
    #expect(stage.commands("A") == ["subscribe", "unsubscribe"])
  }

  @Test func `A14: a lost connection is told once, and only to channels that are wanted`() {
    let wanted = CableDiary(stage.client.channel("Wanted"))
    let never = CableDiary(stage.client.channel("Never", options: .init(autoSubscribe: false)))
    connect()
    stage.socket.fail(.connectionLost)
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
    let first = stage.client.channel("A")
    var second: CableChannel? = stage.client.channel("A")
    let (one, two) = (CableDiary(first), second.map(CableDiary.init))
    connect()
    stage.socket.message(1, to: Self.id("A"))
    first.unsubscribe()
    stage.socket.message(2, to: Self.id("A"))
    #expect(one.messages == [1])
    #expect(two?.messages == [1, 2])
    #expect(stage.commands() == ["subscribe"])
    second?.unsubscribe()
    second = nil
    #expect(stage.commands() == ["subscribe", "unsubscribe"])
  }

  @Test func `one that joins a confirmed subscription is subscribed at once`() {
    let first = stage.client.channel("A")
    connect()
    let second = CableDiary(stage.client.channel("A"))
    #expect(second.events == [.subscribed(reconnected: false)])
    #expect(stage.commands() == ["subscribe"])
    #expect(first.state == .subscribed)
  }

  @Test func `A6, C15: channels of one name hear only what has their parameters`() {
    let recorders = (1...2).map { id in
      CableDiary(stage.client.channel("Chat", ["id": .integer(id)]))
    }
    stage.onCommand = { socket, command in
      guard command.name == "subscribe" else { return }
      let isFirst = command.identifier.contains("1")
      isFirst ? socket.confirm(command.identifier) : socket.reject(command.identifier)
    }
    connect()
    stage.socket.message("to 1", to: Self.id("Chat", ["id": 1]))
    #expect(recorders[0].events == [.subscribed(reconnected: false), .message("to 1")])
    #expect(recorders[1].events == [.rejected])
  }

  @Test func `A15: a channel that is let go of leaves nothing behind`() {
    connect()
    for number in 0..<1_000 { _ = stage.client.channel("A", ["n": .integer(number)]) }
    stage.advance(60)
    #expect(stage.commands().filter { $0 == "subscribe" }.count == 1_000)
    #expect(stage.commands().filter { $0 == "unsubscribe" }.count == 1_000)
    #expect(stage.client.identifierCount == 0)
  }

  @Test func `A5: a message may come before the confirmation, and all keep the order of the wire`()
  {
    stage.onCommand = { _, _ in }
    let recorder = CableDiary(stage.client.channel("A"))
    connect()
    stage.socket.message("hello", to: Self.id("A"))
    stage.socket.confirm(Self.id("A"))
    for number in 0..<100 { stage.socket.message(.integer(number), to: Self.id("A")) }
    #expect(recorder.events.prefix(2) == [.message("hello"), .subscribed(reconnected: false)])
    #expect(recorder.messages.dropFirst() == (0..<100).map { .integer($0) }[...])
  }

  @Test func `A10: messages that are no objects are messages`() {
    let recorder = CableDiary(stage.client.channel("A"))
    connect()
    let values: [JSONValue] = ["text", 12, 1.5, true, nil, [1], [:], ["type": "ping"]]
    for value in values { stage.socket.message(value, to: Self.id("A")) }
    #expect(recorder.messages == values)
  }

  @Test func `A19, C29: a channel that is not answered, or rejected, says so`() {
    stage.onCommand = { socket, command in
      if command.identifier.contains("Rejecting") { socket.reject(command.identifier) }
    }
    let silent = stage.client.channel("Silent")
    let (recorder, rejected) = (CableDiary(silent), CableDiary(stage.client.channel("Rejecting")))
    connect()
    #expect(rejected.events == [.rejected])
    stage.advance(10)
    #expect(recorder.events == [.timedOut(after: .seconds(10))])
    #expect(silent.state == .timedOut)
    silent.subscribe()
    #expect(silent.state == .pending)
    stage.advance(0.25)
    stage.socket.confirm(Self.id("Silent"))
    #expect(silent.state == .subscribed)
  }

  @Test func `a confirmation for what nobody wants any more is taken back`() {
    connect()
    stage.socket.confirm(Self.id("Ghost"))
    stage.socket.message("boo", to: Self.id("Ghost"))
    #expect(stage.commands() == ["unsubscribe"])
    #expect(stage.client.unwantedMessages == 1)
  }

  @Test func `the first observer is told what came before it`() {
    let channel = stage.client.channel("A")
    connect()
    stage.socket.message(1, to: Self.id("A"))
    let recorder = CableDiary(channel)
    stage.socket.message(2, to: Self.id("A"))
    #expect(recorder.messages == [1, 2])
    #expect(CableDiary(channel).events.isEmpty)
  }

  @Test func `whoever unsubscribes in the handler of a message hears no other`() {
    let channel = stage.client.channel("A")
    connect()
    let socket = stage.socket
    let heard = Held<[JSONValue]>([])
    let bag = DisposeBag()
    channel.messages
      .subscribe(onNext: { message in
        heard.value.append(message)
        // While this one is being delivered.
        socket.message(2, to: Self.id("A"))
        channel.unsubscribe()
      })
      .disposed(by: bag)
    socket.message(1, to: Self.id("A"))
    #expect(heard.value == [1])
  }

  // MARK: Calling

  @Test func `C22, A12: a call is sent as text, with its action and data`() throws {
    let channel = stage.client.channel("Echo")
    connect()
    #expect(try channel.perform("speak", ["text": "hello"]) == .sent)
    #expect(
      stage.socket.sent.last
        == #"{"command":"message","identifier":"{\"channel\":\"Echo\"}","#
        + #""data":"{\"action\":\"speak\",\"text\":\"hello\"}"}"#
    )
  }

  @Test func `C19, A8: calls made offline are sent once, in order, after the confirmation`() throws
  {
    let channel = stage.client.channel("A", options: .init(buffering: .buffer(limit: 3)))
    for number in 1...3 {
      #expect(try channel.perform("say", ["n": .integer(number)]) == .buffered)
    }
    #expect(throws: CableError.bufferFull(limit: 3)) { try channel.perform("say") }
    connect()
    #expect(stage.commands("A") == ["subscribe", "message", "message", "message"])
    let numbers = stage.socket.sent.compactMap { CableStage.Command($0)?.data?["n"] }
    #expect(numbers == [1, 2, 3])
    stage.socket.end()
    stage.advance(20)
    #expect(stage.commands("A").count == 5)
  }

  @Test func `C19, A8: without buffering a call offline is an error at once`() {
    let channel = stage.client.channel("A")
    #expect(throws: CableError.notSubscribed(.pending)) { try channel.perform("say") }
    connect()
    channel.unsubscribe()
    #expect(throws: CableError.notSubscribed(.unsubscribed)) { try channel.perform("say") }
  }

  @Test func `calls that wait in vain are reported, each once`() throws {
    stage.onCommand = { socket, command in
      if command.identifier.contains("Rejecting") { socket.reject(command.identifier) }
    }
    let options = CableChannelOptions(buffering: .buffer(limit: 3))
    let rejecting = stage.client.channel("Rejecting", options: options)
    let (silent, left) = (
      stage.client.channel("Silent", options: options),
      stage.client.channel("Left", options: options)
    )
    let recorders = [rejecting, silent, left].map(CableDiary.init)
    for channel in [rejecting, silent, left] { try channel.perform("say") }
    connect()
    left.unsubscribe()
    stage.advance(20)
    #expect(recorders[0].failures == [.notSubscribed(.rejected)])
    #expect(recorders[1].failures == [.notSubscribed(.timedOut)])
    #expect(recorders[2].failures == [.notSubscribed(.unsubscribed)])
  }
}
