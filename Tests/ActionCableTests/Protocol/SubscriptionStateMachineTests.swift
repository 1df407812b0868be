import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct SubscriptionStateMachineTests {
  private static func ms(_ count: Int) -> Duration { .milliseconds(count) }

  /// A machine on a connection that is ready.
  private func online(timeout: Duration = .seconds(10)) -> SubscriptionStateMachine {
    SubscriptionStateMachine(timeout: timeout, isOnline: true)
  }

  /// The commands of the machine at its deadlines, until `end`.
  private func run(
    _ machine: inout SubscriptionStateMachine,
    until end: Duration
  ) -> [(Duration, SubscriptionStateMachine.Output)] {
    var outputs: [(Duration, SubscriptionStateMachine.Output)] = []
    while let due = machine.due, due <= end {
      outputs += machine.tick(due).map { (due, $0) }
    }
    return outputs
  }

  @Test func `a subscription is requested when the connection is ready, and confirmed`() {
    var machine = SubscriptionStateMachine(timeout: .seconds(10), isOnline: false)
    #expect(machine.subscribe(.zero) == [])
    #expect(machine.due == nil)
    #expect(machine.welcome(Self.ms(5), isReconnect: false) == [.send(.subscribe)])
    #expect(machine.deliversMessages && !machine.isSubscribed)
    #expect(machine.confirm(Self.ms(9)) == [.confirmed(reconnected: false)])
    #expect(machine.isSubscribed)
    #expect(machine.due == nil)
    #expect(machine.confirm(Self.ms(10)) == [], "a second confirmation emits nothing")
  }

  @Test func `an unsubscribe waits for the answer to the subscribe`() {
    var machine = online()
    #expect(machine.subscribe(.zero) == [.send(.subscribe)])
    #expect(machine.unsubscribe(Self.ms(1)) == [])
    #expect(!machine.deliversMessages)
    #expect(machine.confirm(Self.ms(30)) == [.send(.unsubscribe)])
    #expect(run(&machine, until: .seconds(60)).isEmpty)
    #expect(machine.isRemovable)
  }

  @Test func `an unsubscribe and a subscribe before the answer send nothing`() {
    var machine = online()
    #expect(machine.subscribe(.zero) == [.send(.subscribe)])
    #expect(machine.unsubscribe(Self.ms(1)) == [])
    #expect(machine.subscribe(Self.ms(2)) == [])
    #expect(machine.confirm(Self.ms(30)) == [.confirmed(reconnected: false)])
  }

  @Test func `a subscribe waits a quarter of a second after an unsubscribe, which has no answer`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    #expect(machine.unsubscribe(Self.ms(10)) == [.send(.unsubscribe)])
    #expect(machine.subscribe(Self.ms(11)) == [])
    #expect(!machine.deliversMessages, "later messages belong to the old subscription")
    #expect(machine.due == Self.ms(260))
    #expect(machine.tick(Self.ms(259)) == [])
    #expect(machine.tick(Self.ms(260)) == [.send(.subscribe)])
  }

  @Test func `an unsubscribe does not overtake a call, and can be cancelled by a subscribe`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    machine.noteCall(1, Self.ms(10))
    #expect(machine.unsubscribe(Self.ms(20)) == [])
    #expect(!machine.deliversMessages && !machine.isSubscribed)
    #expect(machine.subscribe(Self.ms(30)) == [.confirmed(reconnected: false)])
    #expect(machine.unsubscribe(Self.ms(40)) == [])
    #expect(machine.due == Self.ms(260))
    #expect(machine.tick(Self.ms(260)) == [.send(.unsubscribe)])
  }

  @Test
  func `an unsubscribe waits for a quarter of a second after the server has read the last call`() {
    var machine = online()
    machine.answersPings = true
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    machine.noteCall(1, Self.ms(10))
    machine.noteCall(2, Self.ms(20))
    #expect(machine.unsubscribe(Self.ms(30)) == [])
    // A link carries nothing for three seconds.
    machine.noteRead(calls: 1, commands: 0, Self.ms(3_000))
    #expect(machine.awaitsRead)
    #expect(machine.due == nil)
    machine.noteRead(calls: 2, commands: 0, Self.ms(3_100))
    #expect(!machine.awaitsRead)
    machine.noteRead(calls: 2, commands: 0, Self.ms(3_200))
    #expect(machine.due == Self.ms(3_350), "it was read by the first pong")
    #expect(machine.tick(Self.ms(3_349)) == [])
    #expect(machine.tick(Self.ms(3_350)) == [.send(.unsubscribe)])
  }

  @Test func `a subscribe waits until the server has read the unsubscribe`() {
    var machine = online()
    machine.answersPings = true
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    #expect(machine.unsubscribe(Self.ms(10)) == [.send(.unsubscribe)])
    machine.noteCommand(1)
    #expect(machine.subscribe(Self.ms(20)) == [])
    #expect(machine.tick(Self.ms(2_000)) == [])
    machine.noteRead(calls: 0, commands: 1, Self.ms(2_000))
    #expect(machine.tick(Self.ms(2_249)) == [])
    #expect(machine.tick(Self.ms(2_250)) == [.send(.subscribe)])
  }

  @Test func `without a pong, commands count as performed after a time`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    machine.noteCall(1, Self.ms(10))
    #expect(machine.unsubscribe(Self.ms(20)) == [])
    #expect(machine.tick(Self.ms(259)) == [])
    #expect(machine.tick(Self.ms(260)) == [.send(.unsubscribe)])
    machine.noteCommand(1)
    #expect(machine.subscribe(Self.ms(270)) == [])
    #expect(machine.tick(Self.ms(509)) == [])
    #expect(machine.tick(Self.ms(510)) == [.send(.subscribe)])
  }

  @Test func `alternating subscribes and unsubscribes send only the last state`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    #expect(machine.unsubscribe(Self.ms(10)) == [.send(.unsubscribe)])
    for time in 11..<100 {
      #expect(machine.subscribe(Self.ms(time)) == [])
      #expect(machine.unsubscribe(Self.ms(time)) == [])
    }
    #expect(machine.tick(Self.ms(260)) == [])
    #expect(machine.isRemovable)
  }

  @Test func `an unexpected confirmation is answered with an unsubscribe`() {
    var machine = online()
    #expect(machine.confirm(.zero) == [.send(.unsubscribe)])
    // Not at once: a server that confirms every subscribe must not cause a loop.
    #expect(machine.confirm(Self.ms(100)) == [])
    #expect(machine.subscribe(Self.ms(200)) == [])
    #expect(machine.tick(Self.ms(250)) == [.send(.unsubscribe)])
    #expect(machine.tick(Self.ms(500)) == [.send(.subscribe)])
    var offline = SubscriptionStateMachine(timeout: .seconds(10), isOnline: false)
    #expect(offline.confirm(.zero) == [])
  }

  @Test
  func `J05: a subscribe without an answer is repeated, renewed, and fails after the timeout`() {
    var machine = online()
    #expect(machine.subscribe(.zero) == [.send(.subscribe)])
    let outputs = run(&machine, until: .seconds(60))
    let subscribes = (1...17).map { Self.ms($0 * 500) } + [Self.ms(9_250), Self.ms(9_750)]
    #expect(outputs.filter { $0.1 == .send(.subscribe) }.map(\.0) == subscribes)
    #expect(outputs.filter { $0.1 == .send(.unsubscribe) }.map(\.0) == [.seconds(9), .seconds(10)])
    #expect(outputs.filter { $0.1 == .timedOut }.map(\.0) == [.seconds(10)])
    #expect(machine.failure == .timedOut)
    // A welcome or a new subscribe recovers it.
    #expect(machine.subscribe(.seconds(70)) == [.send(.subscribe)])
    _ = run(&machine, until: .seconds(90))
    machine.connectionEnded()
    #expect(machine.welcome(.seconds(100), isReconnect: true) == [.send(.subscribe)])
  }

  @Test func `a channel without an answer is unsubscribed and subscribed again before it fails`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = run(&machine, until: .seconds(9))
    #expect(machine.confirm(Self.ms(9_100)) == [], "a confirmation after an unsubscribe is stale")
    #expect(machine.tick(Self.ms(9_250)) == [.send(.subscribe)])
    #expect(machine.confirm(Self.ms(9_300)) == [.confirmed(reconnected: false)])
  }

  @Test func `an unwanted subscribe is not repeated, and is forgotten after the timeout`() {
    var machine = online(timeout: .seconds(2))
    _ = machine.subscribe(.zero)
    _ = machine.unsubscribe(Self.ms(1))
    let outputs = run(&machine, until: .seconds(60))
    #expect(outputs.map(\.1) == [.send(.unsubscribe)])
    #expect(outputs.map(\.0) == [.seconds(2)])
    #expect(machine.isRemovable)
  }

  @Test func `a channel that is unwanted while it is renewed sends no second unsubscribe`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = run(&machine, until: .seconds(9))
    #expect(machine.unsubscribe(Self.ms(9_100)) == [])
    #expect(machine.subscribe(Self.ms(9_150)) == [])
    #expect(machine.tick(Self.ms(9_250)) == [.send(.subscribe)])
  }

  @Test func `J06: a rejected subscription is not requested again without a subscribe`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    #expect(machine.reject(Self.ms(1)) == [.rejected])
    #expect(machine.reject(Self.ms(1)) == [])
    machine.connectionEnded()
    #expect(machine.welcome(.seconds(9), isReconnect: true) == [])
    #expect(machine.subscribe(.seconds(10)) == [.send(.subscribe)])
  }

  @Test func `a rejection of an unwanted subscription emits nothing`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.unsubscribe(Self.ms(1))
    #expect(machine.reject(Self.ms(2)) == [])
    #expect(machine.isRemovable)
  }

  @Test func `J04: a subscription is requested on every welcome, and reports an earlier one`() {
    var machine = online()
    _ = machine.subscribe(.zero)
    _ = machine.confirm(Self.ms(1))
    machine.connectionEnded()
    #expect(machine.due == nil)
    #expect(!machine.isSubscribed)
    #expect(machine.welcome(.seconds(1), isReconnect: true) == [.send(.subscribe)])
    #expect(machine.confirm(.seconds(1)) == [.confirmed(reconnected: true)])
    _ = machine.unsubscribe(.seconds(2))
    _ = machine.tick(.seconds(3))
    _ = machine.subscribe(.seconds(4))
    #expect(machine.confirm(.seconds(5)) == [.confirmed(reconnected: false)])
  }

  @Test func `a subscription has at most one command in flight for any sequence of inputs`() {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: UInt64(seed))
      var machine = online()
      var (now, sent) = (Duration.zero, [(Duration, CableCommand)]())
      var isAnswered = true
      for _ in 0..<300 {
        now += .milliseconds(Int.random(in: 0...120, using: &random))
        let input = Int.random(in: 0..<6, using: &random)
        let outputs: [SubscriptionStateMachine.Output] =
          switch input {
          case 0: machine.subscribe(now)
          case 1: machine.unsubscribe(now)
          case 2 where !isAnswered: machine.confirm(now)
          case 3 where !isAnswered: machine.reject(now)
          default: machine.tick(now)
          }
        if input == 2 || input == 3 { isAnswered = true }
        for case .send(let command) in outputs {
          if let (time, last) = sent.last {
            switch (last, command) {
            case (.unsubscribe, _): #expect(now - time >= SubscriptionStateMachine.coolDown)
            case (.subscribe, .subscribe):
              #expect(isAnswered || now - time >= SubscriptionStateMachine.retry)
            default: break
            }
          }
          isAnswered = command != .subscribe
          sent.append((now, command))
        }
      }
      #expect(sent.count > 10)
    }
  }
}
