import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct SocketChannelEffectTests {
  enum Action: Equatable {
    case join(Int), joinTwin(Int), leave(Int), nowhere, leaveBag, logout
    case heard(Int, isMuted: Bool), mute, failed(ChannelFailure, Int), left(Int)
  }

  struct State: Equatable {
    var isMuted = false
    var heard: [Int] = []
    var seen: [Bool] = []
    var failures: [ChannelFailure] = []
    var left: [Int] = []
  }

  struct Numbers: ChannelOutputMapping {
    struct Odd: Error {}
    func map(from message: JSONValue) throws -> Int? {
      if message == "odd" { throw Odd() }
      return message.integer
    }
  }

  struct Hearing: ChannelActionMapping {
    func mapAction(from output: Int, state: State) -> ActionGroup<Action> {
      ActionGroup { Action.heard(output, isMuted: state.isMuted) }
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

    private func channel(_ room: Int) -> SocketChannelEffect<Numbers, Hearing, Int> {
      SocketChannelEffect(
        channelBuilder: { [weak client] in client?.channel("Room", ["id": .integer(room)]) },
        outputMapper: Numbers(),
        actionMapper: Hearing(),
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
          outputMapper: Numbers(),
          actionMapper: Hearing(),
          flowID: 0
        ) { .failed($0, $1) }
        .effect(cancellation: ID.nowhere)
      case .leaveBag: return .cancel(&disposeBag)
      case .logout:
        client?.disconnect()
        return .cancelAll
      case .heard(let number, let isMuted):
        state.heard.append(number)
        state.seen.append(isMuted)
        // What a message brings about is seen by the mapping of the next.
        if number == 13 { return .send(.mute) }
      case .mute: state.isMuted = true
      case .failed(let failure, _): state.failures.append(failure)
      case .left(let room): state.left.append(room)
      }
      return .none
    }
  }

  private let stage = CableStage()

  private func rooms(window: Duration = .milliseconds(330)) -> Composed<State, Action> {
    stage.serve()
    stage.client.connect()
    return stage.time.run {
      Composed(sending: Rooms(stage.client, window), on: .virtual(stage.time))
    }
  }

  private func say(_ message: JSONValue, in room: Int = 1) {
    stage.socket.message(message, to: CableIdentifier("Room", ["id": .integer(room)]).text)
    stage.time.settle()
  }

  private func joined(window: Duration = .milliseconds(330)) -> Composed<State, Action> {
    let rooms = rooms(window: window)
    rooms.send(.join(1))
    stage.advance(0.1)
    return rooms
  }

  // MARK: Mapping

  @Test func `C05, C28: a message is dropped, mapped, or an error; the stream goes on`() {
    let rooms = joined()
    for message: JSONValue in ["ignored", 1, "odd", 2] { say(message) }
    stage.advance(1)
    #expect(rooms.state.heard == [1, 2])
    #expect(rooms.state.failures == [.undecodable("odd", "Odd()")])
  }

  @Test func `C06: the mapping sees every action before it, and actions keep the wire's order`() {
    let rooms = joined(window: .milliseconds(0))
    for number in [1, 13, 2, 3] { say(.integer(number)) }
    #expect(rooms.state.heard == [1, 13, 2, 3])
    #expect(rooms.state.seen == [false, false, true, true])
  }

  @Test func `C07, U3: a window drops nothing and is one step`() {
    let rooms = joined(window: .milliseconds(50))
    let published = Held<[Int]>([])
    let bag = DisposeBag()
    rooms.states.skip(1).subscribe(onNext: { published.value.append($0.heard.count) })
      .disposed(by: bag)
    for number in 100..<1_100 { say(.integer(number)) }
    #expect(rooms.state.heard.isEmpty)
    stage.advance(0.05)
    #expect(rooms.state.heard == Array(100..<1_100))
    #expect(published.value == [1_000])
    // Windows that follow each other closely, too.
    for number in 1_100..<1_200 {
      say(.integer(number))
      stage.advance(0.03)
    }
    stage.advance(1)
    #expect(rooms.state.heard == Array(100..<1_200))
    #expect(published.value.count > 40)
  }

  @Test func `C08, U4: a state that changes before the dispatch is the one that is mapped by`() {
    let rooms = joined()
    say(1)
    stage.advance(0.2)
    rooms.send(.mute)
    stage.advance(0.2)
    #expect(rooms.state.seen == [true])
  }

  @Test func `C26: a group is flat, whatever it is written with`() {
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

  // MARK: Life

  @Test func `C11, U2, U8: without a channel the effect fails and ends, and its id is free`() {
    let rooms = rooms()
    rooms.send(.nowhere)
    stage.advance(1)
    rooms.send(.nowhere)
    stage.advance(1)
    #expect(rooms.state.failures == [.noChannel, .noChannel])
  }

  @Test func `C12: after a logout nothing reconnects, and nothing is left`() {
    let rooms = joined()
    rooms.send(.join(2))
    stage.advance(1)
    rooms.send(.logout)
    stage.advance(60)
    #expect(stage.sockets.count == 1)
    #expect(stage.client.state == .disconnected(.requested))
    #expect(stage.client.identifierCount == 0)
    #expect(
      rooms.state.failures.allSatisfy {
        if case .disconnected(let ending) = $0 { ending.cause == .requested } else { false }
      })
  }

  @Test func `C13: an effect whose id is busy is ignored, and runs again when it is free`() {
    let rooms = joined()
    rooms.send(.join(1))
    stage.advance(1)
    say(1)
    stage.advance(1)
    #expect(rooms.state.heard == [1])
    #expect(stage.commands("Room") == ["subscribe"])
    rooms.send(.leave(1))
    stage.advance(1)
    rooms.send(.join(1))
    stage.advance(1)
    say(2)
    stage.advance(1)
    #expect(rooms.state.heard == [1, 2])
    #expect(stage.commands("Room") == ["subscribe", "unsubscribe", "subscribe"])
  }

  @Test func `C14: a cancellation by id ends that channel alone, and is told once`() {
    let rooms = joined()
    rooms.send(.join(2))
    stage.advance(1)
    say(1)
    rooms.send(.leave(1))
    #expect(rooms.state.left == [1], "an action of its own")
    say(2)
    say(3, in: 2)
    stage.advance(1)
    #expect(rooms.state.heard == [3], "what waited in the window is gone with it")
    #expect(stage.commands("Room") == ["subscribe", "subscribe", "unsubscribe"])
    rooms.send(.leave(1))
    stage.advance(1)
    #expect(rooms.state.left == [1])
  }

  @Test func `a cancellation by bag ends all of them, and is told for each`() {
    let rooms = joined()
    rooms.send(.join(2))
    stage.advance(1)
    rooms.send(.leaveBag)
    stage.advance(1)
    #expect(stage.client.identifierCount == 0)
    say(1)
    #expect(rooms.state.heard.isEmpty)
  }

  @Test func `a composer that is released ends its channels in silence`() {
    var rooms: Composed<State, Action>? = joined()
    #expect(rooms?.state.left == [])
    rooms = nil
    stage.advance(1)
    #expect(stage.commands("Room") == ["subscribe", "unsubscribe"])
    #expect(stage.client.identifierCount == 0)
  }

  @Test func `U6: of two effects on one channel the end of one leaves the other`() {
    let rooms = joined()
    rooms.send(.joinTwin(1))
    stage.advance(0.1)
    rooms.send(.leave(1))
    say(1)
    stage.advance(1)
    #expect(rooms.state.heard == [1])
    #expect(stage.commands("Room") == ["subscribe"])
  }

  @Test func `U6: a cancellation without a connection is not forgotten`() {
    let rooms = joined()
    stage.socket.end()
    rooms.send(.leave(1))
    stage.advance(60)
    #expect(stage.client.state == .connected)
    #expect(stage.commands("Room") == ["subscribe"])
  }

  // MARK: Failures

  @Test func `C29, U1: rejection, deadline, loss and refusal are actions with their flow's id`() {
    let rooms = rooms(window: .milliseconds(0))
    stage.onCommand = { socket, command in
      if command.identifier.contains("1") { socket.reject(command.identifier) }
      if command.identifier.contains("3") { socket.confirm(command.identifier) }
    }
    for room in 1...3 { rooms.send(.join(room)) }
    stage.advance(20)
    #expect(rooms.state.failures == [.rejected, .timedOut(after: .seconds(10))])
    stage.socket.fail(.connectionLost)
    stage.time.settle()
    let cause = CableDisconnection.Cause.failed(.socket(.connectionLost))
    let lost = ChannelFailure.disconnected(.init(cause: cause, willReconnect: true))
    #expect(rooms.state.failures.dropFirst(2) == [lost, lost], "not of the rejected one")
    stage.advance(30)
    stage.socket.disconnect("unauthorized", reconnect: false)
    stage.time.settle()
    let announced = CableDisconnection.Cause.announced(reason: "unauthorized")
    let refused = ChannelFailure.disconnected(.init(cause: announced, willReconnect: false))
    #expect(rooms.state.failures.last == refused)
  }

  @Test func `U5: a message without the key has no data, and not itself`() {
    let message: JSONValue = ["type": "new_chat"]
    #expect(message["data"] == nil)
    #expect(message["type"]?.string == "new_chat")
  }
}
