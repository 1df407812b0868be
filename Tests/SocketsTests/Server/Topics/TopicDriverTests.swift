import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The topics of a server, with sockets that are not connected and a backplane of the test.
@Suite("The topics of a server", .workerPool)
struct TopicDriverTests {
  private let backplane = RecordingBackplane()
  private let time = VirtualTime()
  private let lines = Watched<[String]>([])
  private let bag = DisposeBag()

  private func topics() -> TopicDriver {
    let lines = lines
    let log = WebSocketLog(.info) { level, line in lines.update { $0.append("[\(level)] \(line)") }
    }
    let driver = TopicDriver(
      hasBackplane: true, clock: LoopClock(loop: .shared, scheduler: time.scheduler), log: log)
    driver.connect(to: backplane)
    return driver
  }

  private func socket() -> WebSocket { WebSocket("ws://127.0.0.1:1/") }

  // MARK: Interest

  @Test func `a topic is subscribed once, by its first subscriber, and ends with the last`() {
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    let (first, second) = (room.subscribe(socket()), room.subscribe(socket()))
    #expect(room.count == 2)
    #expect(backplane.takeCalls() == ["+room"])
    first.dispose()
    #expect(room.count == 1)
    #expect(backplane.takeCalls() == [])
    second.dispose()
    second.dispose()
    #expect(room.count == 0)
    #expect(backplane.takeCalls() == ["-room"])
    #expect(topics.read { $0.topicCount } == 0)
  }

  @Test func `a socket is one subscriber however often it subscribes`() {
    let room = WebSocketTopic("room", topics())
    let socket = socket()
    let first = room.subscribe(socket)
    let again = room.subscribe(socket)
    #expect(room.count == 1)
    again.dispose()
    #expect(room.count == 0)
    // The subscription that has ended does not end the next one.
    room.subscribe(socket)
    first.dispose()
    #expect(room.count == 1)
    #expect(backplane.takeCalls() == ["+room", "-room", "+room"])
  }

  @Test func `a subscription ends with its socket, also when that has ended before`() async {
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    let sockets = (0..<3).map { _ in socket() }
    for socket in sockets { room.subscribe(socket) }
    sockets[0].close()
    await backplane.calls.wait { _ in room.count == 2 || sockets[0].state == .disconnected }
    await EventLoop.shared.settle()
    #expect(room.count == 2)
    room.subscribe(sockets[0])
    #expect(room.count == 2)
    for socket in sockets { socket.close() }
    await backplane.calls.wait { $0.last == "-room" }
    #expect(topics.read { $0.topicCount } == 0)
  }

  @Test func `the observers of messages and of presence keep a topic`() {
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    let messages = room.messages.subscribe()
    let presence = room.presence.subscribe()
    #expect(backplane.takeCalls() == ["+room", "room: asked"])
    messages.dispose()
    #expect(topics.read { $0.topicCount } == 1)
    presence.dispose()
    #expect(topics.read { $0.topicCount } == 0)
    #expect(backplane.takeCalls() == ["-room"])
  }

  @Test func `a topic without interest costs the backplane only its messages`() {
    let topics = topics()
    #expect(WebSocketTopic("room", topics).publish(.text("hi")).sent == 0)
    #expect(backplane.takeCalls() == ["room: hi"])
    #expect(topics.read { $0.topicCount } == 0)
  }

  // MARK: Messages

  @Test func `observers receive what is published here and elsewhere, text and binary`() {
    let room = WebSocketTopic("room", topics())
    let received = EventRecorder<String>()
    room.messages.map { $0.text ?? "\($0.byteCount) bytes" }.record(in: received).disposed(by: bag)
    room.publish(.text("here"))
    backplane.receive(.message(.text("there"), limit: 1, slowClients: .closed), to: "room")
    backplane.receive(.message(.binary(Data([1, 2])), limit: 1, slowClients: .skipped), to: "room")
    backplane.receive(.message(.text("other room"), limit: 1, slowClients: .skipped), to: "hall")
    #expect(received.events == ["here", "there", "2 bytes"])
  }

  @Test func `an answer of an observer does not overtake the message`() {
    let room = WebSocketTopic("room", topics())
    room.messages.filter { $0 == .text("ping") }
      .subscribe(onNext: { _ in room.publish(.text("pong")) }).disposed(by: bag)
    room.publish(.text("ping"))
    #expect(backplane.takeCalls() == ["+room", "room: ping", "room: pong"])
  }

  @Test func `the own messages that a backplane returns are not delivered twice`() {
    // The recording one does not return them; this one does.
    final class Echo: Backplane, BackplaneConnection {
      private let receive = Locked<(@Sendable (BackplaneEvent) -> Void)?>(nil)
      func connect(_ receive: @escaping @Sendable (BackplaneEvent) -> Void)
        -> any BackplaneConnection
      {
        self.receive.withLock { $0 = receive }
        return self
      }
      func subscribe(to topic: String) {}
      func unsubscribe(from topic: String) {}
      func publish(_ message: Data, to topic: String, isTransient: Bool) {
        receive.withLock { $0 }?(.message(message, topic: topic))
      }
      func close() {}
    }
    let topics = TopicDriver(
      hasBackplane: true, clock: LoopClock(loop: .shared, scheduler: time.scheduler), log: .none)
    topics.connect(to: Echo())
    let room = WebSocketTopic("room", topics)
    let received = EventRecorder<String>()
    room.messages.map { $0.text ?? "" }.record(in: received).disposed(by: bag)
    room.presence.record(in: received, "n").disposed(by: bag)
    room.subscribe(socket())
    room.publish(.text("once"))
    #expect(received.events == ["n0", "n1", "once"])
  }

  @Test func `hostile bytes are an error with a line a minute, and are dropped`() {
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    let (received, errors) = (EventRecorder<String>(), EventRecorder<String>())
    room.messages.map { $0.text ?? "" }.record(in: received).disposed(by: bag)
    topics.errors.record(in: errors).disposed(by: bag)
    for _ in 0..<3 { backplane.receive(.message(Data("hello".utf8), topic: "room")) }
    time.advance(by: .seconds(60))
    backplane.receive(.message(Data([1, 0]), topic: "room"))
    backplane.receive(.message(.text("real"), limit: 1, slowClients: .skipped), to: "room")
    #expect(received.events == ["real"])
    #expect(errors.count == 4)
    #expect(
      lines.value == [
        "[warning] backplane: a message to room was dropped: its version is 104",
        "[warning] backplane: a message to room was dropped: it ends after 2 bytes",
      ])
  }

  // MARK: Presence

  @Test func `without a backplane the presence is the number of subscribers, at once`() {
    let topics = TopicDriver(
      hasBackplane: false, clock: LoopClock(loop: .shared, scheduler: time.scheduler), log: .none)
    let room = WebSocketTopic("room", topics)
    let counts = EventRecorder<String>()
    room.presence.record(in: counts).disposed(by: bag)
    let one = room.subscribe(socket())
    room.subscribe(socket())
    one.dispose()
    #expect(counts.events == ["0", "1", "2", "1"])
    topics.close()
    #expect(counts.events.last == "|")
  }

  @Test func `the presence adds the counts of other processes, and asks for them`() {
    let room = WebSocketTopic("room", topics())
    let counts = EventRecorder<String>()
    room.subscribe(socket())
    let observation = room.presence.record(in: counts)
    let third = TopicOrigin(high: 3, low: 3)
    backplane.receive(.presence(5), to: "room")
    backplane.receive(.presence(2), to: "room", from: third)
    backplane.receive(.presence(4), to: "room")
    backplane.receive(.presence(0), to: "room", from: third)
    #expect(counts.events == ["1", "6", "8", "7", "5"])
    #expect(backplane.takeCalls() == ["+room", "room: asked"])
    time.advance(by: .seconds(20))
    #expect(backplane.takeCalls() == ["room: asked", "room: asked"])
    observation.dispose()
    time.advance(by: .seconds(20))
    #expect(backplane.takeCalls() == [])
  }

  @Test func `a process that answers no more is not counted after 30 to 40 seconds`() {
    let room = WebSocketTopic("room", topics())
    let counts = EventRecorder<String>()
    room.presence.record(in: counts).disposed(by: bag)
    backplane.receive(.presence(5), to: "room")
    time.advance(by: .seconds(25))
    backplane.receive(.presence(5), to: "room")
    time.advance(by: .seconds(29))
    #expect(counts.events == ["0", "5"])
    time.advance(by: .seconds(10))
    #expect(counts.events == ["0", "5", "0"])
  }

  @Test func `a process answers with its count, and reports changes for 30 seconds in one message`()
  {
    let room = WebSocketTopic("room", topics())
    let first = room.subscribe(socket())
    #expect(backplane.takeCalls() == ["+room"])
    backplane.receive(.presenceAsked, to: "room")
    #expect(backplane.takeCalls() == ["room: 1 here"])
    for _ in 0..<100 { room.subscribe(socket()) }
    first.dispose()
    time.advance(by: .milliseconds(100))
    #expect(backplane.takeCalls() == ["room: 100 here"])
    time.advance(by: .seconds(30))
    room.subscribe(socket())
    time.advance(by: .seconds(1))
    #expect(backplane.takeCalls() == [])
  }

  @Test func `the last subscriber that leaves is reported before the topic is unsubscribed`() {
    let room = WebSocketTopic("room", topics())
    let only = room.subscribe(socket())
    backplane.receive(.presenceAsked, to: "room")
    only.dispose()
    time.advance(by: .seconds(1))
    #expect(backplane.takeCalls() == ["+room", "room: 1 here", "room: 0 here", "-room"])
  }

  @Test func `a restored connection asks for the presence again`() {
    let topics = topics()
    WebSocketTopic("b", topics).presence.subscribe().disposed(by: bag)
    WebSocketTopic("a", topics).presence.subscribe().disposed(by: bag)
    _ = backplane.takeCalls()
    backplane.receive(.state(.disconnected(TransportError.reset)))
    backplane.receive(.state(.connected))
    #expect(backplane.takeCalls() == ["a: asked", "b: asked"])
    #expect(
      lines.value == [
        "[warning] the backplane is not connected, topics go on in this process: "
          + "the peer reset the connection",
        "[info] the backplane is connected",
      ])
  }

  // MARK: The end

  @Test func `the end completes all streams, and nothing is retained`() {
    weak var released: WebSocket?
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    let events = EventRecorder<String>()
    do {
      let socket = socket()
      released = socket
      room.subscribe(socket)
    }
    #expect(released != nil)
    room.messages.map { $0.text ?? "" }.record(in: events, "m").disposed(by: bag)
    room.presence.record(in: events, "p").disposed(by: bag)
    topics.states.observable(keeping: topics).map(\.isConnected).record(in: events, "s")
      .disposed(by: bag)
    topics.close()
    #expect(Set(events.events) == ["p1", "sfalse", "m|", "p|", "s|"])
    #expect(backplane.takeCalls().last == "closed")
    room.subscribe(socket())
    room.publish(.text("nobody"))
    #expect(room.count == 0)
    #expect(room.messages.map { $0.text ?? "" }.recorded() == "|")
    #expect(room.presence.recorded() == "|")
    #expect(released == nil)
  }

  @Test func `threads that subscribe and unsubscribe leave the backplane as the last one does`()
    async
  {
    let topics = topics()
    let room = WebSocketTopic("room", topics)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 { room.subscribe(WebSocket("ws://127.0.0.1:1/")).dispose() }
        }
      }
    }
    #expect(topics.read { $0.topicCount } == 0)
    let calls = backplane.takeCalls()
    #expect(calls.count % 2 == 0)
    let isAlternating = calls.enumerated().allSatisfy { index, call in
      call == (index % 2 == 0 ? "+room" : "-room")
    }
    #expect(isAlternating)
  }

  #if os(Linux) && !SANITIZED
  @Test func `ten thousand topics that were used keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let topics = TopicDriver(
        hasBackplane: false, clock: LoopClock(loop: .shared), log: .none)
      let socket = WebSocket("ws://127.0.0.1:1/")
      func use(_ range: Range<Int>) {
        for number in range {
          let topic = WebSocketTopic("room \(number)", topics)
          let subscriptions = [
            topic.subscribe(socket), topic.messages.subscribe(), topic.presence.subscribe(),
          ]
          topic.publish(.text("hi"))
          for subscription in subscriptions { subscription.dispose() }
        }
      }
      use(0..<100)
      let growth = heapGrowth { use(100..<10_100) }
      precondition(growth < 16_384, "\(growth) bytes")
    }
  }
  #endif
}
