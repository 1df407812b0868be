import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct SocketChannelEffectTests {
  enum Action: Equatable {
    case join(Int), joinTwin(Int), leave(Int), nowhere, leaveBag, logout
    case received(Int, isMuted: Bool), mute, failed(ChannelFailure, Int), left(Int)
  }

  struct State: Equatable {
    var isMuted = false
    var received: [Int] = []
    var seen: [Bool] = []
    var failures: [ChannelFailure] = []
    var left: [Int] = []
  }

  struct NumberMapping: ChannelOutputMapping {
    struct Odd: Error {}
    func map(from message: JSONValue) throws -> Int? {
      if message == "odd" { throw Odd() }
      return message.integer
    }
  }

  struct RoomActionMapping: ChannelActionMapping {
    func mapAction(from output: Int, state: State) -> ActionGroup<Action> {
      ActionGroup { Action.received(output, isMuted: state.isMuted) }
    }
  }

  enum ID: Hashable { case room(Int), twin(Int), nowhere }

  final class Rooms: Composer {
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private var roomBag = DisposeBag()
    private let client: CableClient?
    private let window: Duration

    init(_ client: CableClient?, _ window: Duration) {
      (self.client, self.window) = (client, window)
    }

    private func channel(_ room: Int) -> SocketChannelEffect<NumberMapping, RoomActionMapping, Int>
    {
      SocketChannelEffect(
        channelBuilder: { [weak client] in client?.channel("Room", ["id": .integer(room)]) },
        outputMapper: NumberMapping(),
        actionMapper: RoomActionMapping(),
        flowID: room,
        window: window
      ) { .failed($0, $1) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join(let room):
        return channel(room).effect(cancellation: ID.room(room)) { .left($0) }
      case .joinTwin(let room): return channel(room).effect(cancellation: ID.twin(room))
      case .leave(let room): return .cancel(id: ID.room(room))
      case .nowhere:
        return SocketChannelEffect(
          channelBuilder: { nil },
          outputMapper: NumberMapping(),
          actionMapper: RoomActionMapping(),
          flowID: 0
        ) { .failed($0, $1) }
        .effect(cancellation: ID.nowhere)
      case .leaveBag: return .cancel(&disposeBag)
      case .logout:
        client?.disconnect()
        return .cancelAll
      case .received(let number, let isMuted):
        state.received.append(number)
        state.seen.append(isMuted)
        // The mapping of the next message sees the result of this one.
        if number == 13 { return .send(.mute) }
      case .mute: state.isMuted = true
      case .failed(let failure, _): state.failures.append(failure)
      case .left(let room): state.left.append(room)
      }
      return .none
    }
  }

  private let harness = CableHarness()

  private func rooms(window: Duration = .milliseconds(330)) -> Composed<State, Action> {
    harness.serve()
    harness.client.connect()
    return harness.time.run {
      Composed(sending: Rooms(harness.client, window), on: .virtual(harness.time))
    }
  }

  private func say(_ message: JSONValue, in room: Int = 1) {
    harness.socket.message(message, to: CableIdentifier("Room", ["id": .integer(room)]).text)
    harness.time.settle()
  }

  private func joined(window: Duration = .milliseconds(330)) -> Composed<State, Action> {
    let rooms = rooms(window: window)
    rooms.send(.join(1))
    harness.advance(0.1)
    return rooms
  }

  // MARK: Mapping

  @Test func `C05, C28: a message is dropped, mapped or an error, and the stream continues`() {
    let rooms = joined()
    for message: JSONValue in ["ignored", 1, "odd", 2] { say(message) }
    harness.advance(1)
    #expect(rooms.state.received == [1, 2])
    #expect(rooms.state.failures == [.undecodable("odd", "Odd()")])
  }

  @Test func `C06: the mapping sees every earlier action, and actions keep the order of the wire`()
  {
    let rooms = joined(window: .milliseconds(0))
    for number in [1, 13, 2, 3] { say(.integer(number)) }
    #expect(rooms.state.received == [1, 13, 2, 3])
    #expect(rooms.state.seen == [false, false, true, true])
  }

  @Test func `C07, U3: a batch window drops no message and is one reduction`() {
    let rooms = joined(window: .milliseconds(50))
    let published = SharedVariable<[Int]>([])
    let bag = DisposeBag()
    rooms.states.skip(1).subscribe(onNext: { published.value.append($0.received.count) })
      .disposed(by: bag)
    for number in 100..<1_100 { say(.integer(number)) }
    #expect(rooms.state.received.isEmpty)
    harness.advance(0.05)
    #expect(rooms.state.received == Array(100..<1_100))
    #expect(published.value == [1_000])
    // Adjacent windows, too.
    for number in 1_100..<1_200 {
      say(.integer(number))
      harness.advance(0.03)
    }
    harness.advance(1)
    #expect(rooms.state.received == Array(100..<1_200))
    #expect(published.value.count > 40)
  }

  @Test func `C08, U4: a batch is mapped with the state of its dispatch`() {
    let rooms = joined()
    say(1)
    harness.advance(0.2)
    rooms.send(.mute)
    harness.advance(0.2)
    #expect(rooms.state.seen == [true])
  }

  @Test func `C26: a group of channel effects is flat in every spelling`() {
    func group(_ number: Int, _ name: String?) -> ActionGroup<String> {
      ActionGroup {
        "first"
        if number > 1 { "big" }
        if let name { name } else { "nameless" }
        switch number {
        case 0: ActionGroup<String>()
        case 1: ActionGroup { "one" }
        default: for step in 0..<number { "\(step)" }
        }
        ActionGroup {
          ActionGroup { "nested" }
        }
      }
    }
    #expect(group(0, nil).actions == ["first", "nameless", "nested"])
    #expect(group(1, "n").actions == ["first", "n", "one", "nested"])
    #expect(group(2, "n").actions == ["first", "big", "n", "0", "1", "nested"])
    var changed = ActionGroup(["b"])
    changed.append("c")
    changed.insert("a", at: 0)
    #expect(changed == ActionGroup(["a", "b", "c"]))
  }

  // MARK: Lifetime

  @Test func `C11, U2, U8: without a channel the effect fails and ends, and its id is free`() {
    let rooms = rooms()
    rooms.send(.nowhere)
    harness.advance(1)
    rooms.send(.nowhere)
    harness.advance(1)
    #expect(rooms.state.failures == [.noChannel, .noChannel])
  }

  @Test func `C12: after a logout no cable reconnects, and no object is left`() {
    let rooms = joined()
    rooms.send(.join(2))
    harness.advance(1)
    rooms.send(.logout)
    harness.advance(60)
    #expect(harness.sockets.count == 1)
    #expect(harness.client.state == .disconnected(.requested))
    #expect(harness.client.identifierCount == 0)
    #expect(
      rooms.state.failures.allSatisfy {
        if case .disconnected(let ending) = $0 { ending.cause == .requested } else { false }
      })
  }

  @Test func `C13: an effect with a running id is ignored, and runs after that effect has ended`() {
    let rooms = joined()
    rooms.send(.join(1))
    harness.advance(1)
    say(1)
    harness.advance(1)
    #expect(rooms.state.received == [1])
    #expect(harness.commands("Room") == ["subscribe"])
    rooms.send(.leave(1))
    harness.advance(1)
    rooms.send(.join(1))
    harness.advance(1)
    say(2)
    harness.advance(1)
    #expect(rooms.state.received == [1, 2])
    #expect(harness.commands("Room") == ["subscribe", "unsubscribe", "subscribe"])
  }

  @Test func `C14: a cancellation by id ends its channel only, and is reported once`() {
    let rooms = joined()
    rooms.send(.join(2))
    harness.advance(1)
    say(1)
    rooms.send(.leave(1))
    #expect(rooms.state.left == [1], "an action of its own")
    say(2)
    say(3, in: 2)
    harness.advance(1)
    #expect(rooms.state.received == [3], "the window is dropped with its channel")
    #expect(harness.commands("Room") == ["subscribe", "subscribe", "unsubscribe"])
    rooms.send(.leave(1))
    harness.advance(1)
    #expect(rooms.state.left == [1])
  }

  @Test func `a cancellation by bag ends all its channels, without an action`() {
    let rooms = joined()
    rooms.send(.join(2))
    harness.advance(1)
    rooms.send(.leaveBag)
    harness.advance(1)
    #expect(harness.client.identifierCount == 0)
    #expect(rooms.state.left == [])
    say(1)
    #expect(rooms.state.received.isEmpty)
  }

  @Test func `the channels of a released composer end without an action`() {
    var rooms: Composed<State, Action>? = joined()
    #expect(rooms?.state.left == [])
    rooms = nil
    harness.advance(1)
    #expect(harness.commands("Room") == ["subscribe", "unsubscribe"])
    #expect(harness.client.identifierCount == 0)
  }

  @Test func `U6: of two effects on one channel, the end of one keeps the other`() {
    let rooms = joined()
    rooms.send(.joinTwin(1))
    harness.advance(0.1)
    rooms.send(.leave(1))
    say(1)
    harness.advance(1)
    #expect(rooms.state.received == [1])
    #expect(harness.commands("Room") == ["subscribe"])
  }

  @Test func `U6: a cancellation without a connection is kept for the reconnect`() {
    let rooms = joined()
    harness.socket.end()
    rooms.send(.leave(1))
    harness.advance(60)
    #expect(harness.client.state == .connected)
    #expect(harness.commands("Room") == ["subscribe"])
  }

  // MARK: Failures

  @Test func `C29, U1: rejection, timeout, loss and refusal are actions with the id of their flow`()
  {
    let rooms = rooms(window: .milliseconds(0))
    harness.onCommand = { socket, command in
      if command.identifier.contains("1") { socket.reject(command.identifier) }
      if command.identifier.contains("3") { socket.confirm(command.identifier) }
    }
    for room in 1...3 { rooms.send(.join(room)) }
    harness.advance(20)
    #expect(rooms.state.failures == [.rejected, .timedOut(after: .seconds(10))])
    harness.socket.fail(.connectionLost)
    harness.time.settle()
    let cause = CableDisconnection.Cause.failed(.socket(.connectionLost))
    let lost = ChannelFailure.disconnected(.init(cause: cause, willReconnect: true))
    #expect(
      rooms.state.failures.dropFirst(2) == [lost, lost], "no failure of the rejected channel")
    harness.advance(30)
    harness.socket.disconnect("unauthorized", reconnect: false)
    harness.time.settle()
    let announced = CableDisconnection.Cause.announced(reason: "unauthorized")
    let refused = ChannelFailure.disconnected(.init(cause: announced, willReconnect: false))
    #expect(rooms.state.failures.last == refused)
  }

  @Test func `U5: a message without the key has no data`() {
    let message: JSONValue = ["type": "new_chat"]
    #expect(message["data"] == nil)
    #expect(message["type"]?.string == "new_chat")
  }
}
