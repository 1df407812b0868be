import ReactiveTesting
import TestSupport
import Testing

@Suite("All orders of a small simulation", .workerPool)
struct OrderTests {
  /// Collects the letters that its effects send.
  private final class Letters: Composer {
    enum Action { case start, letter(String) }
    @ComposableState var state = ""
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout String, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start: return .merge(["a", "b", "c"].map { letter in .run { .letter(letter) } })
      case .letter(let letter): state += letter
      }
      return .none
    }
  }

  private static func letters(_ world: SimulatedWorld) -> SimulatedHost<
    Composed<String, Letters.Action>
  > {
    world.host("program") { _ in
      let letters = Composed(sending: Letters(), on: .main)
      letters.send(.start)
      return letters
    }
  }

  @Test func `effects end in each order, and the states are counted`() throws {
    var ends: Set<String> = []
    let orders = try Simulation.allOrders(for: .seconds(1)) { world in
      let program = Self.letters(world)
      world.state { program.state }
      world.after(.milliseconds(500)) { ends.insert(program.state ?? "") }
    }
    #expect(ends == ["abc", "acb", "bac", "bca", "cab", "cba"])
    #expect(orders.isComplete)
    #expect(orders.runCount >= 6)
    // No program, and the empty, one, two and three letters: 1 + 1 + 3 + 6 + 6.
    #expect(orders.stateCount == 17)
  }

  @Test func `an order that breaks a condition is found, and can be run again`() throws {
    func setUp(_ world: SimulatedWorld) {
      let program = Self.letters(world)
      world.always("b is not the last one") {
        program.state.map { $0.count < 3 || !$0.hasSuffix("b") } ?? true
      }
    }
    let found = #expect(throws: SimulationFailure.self) {
      try Simulation.allOrders(for: .seconds(1), setUp)
    }
    let failure = try #require(found)
    #expect(failure.problem == .violated("b is not the last one"))
    let order = try #require(failure.part.order)
    #expect(
      failure.swiftTest(setUp: "setUp").contains(
        "only: SimulationPart(faults: [], order: \(order)),"))
    #expect(throws: SimulationFailure.self) {
      try Simulation(seed: 0, for: .seconds(1), only: failure.part, setUp)
    }
  }

  @Test func `jobs of two hosts run in each order`() throws {
    final class Program: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var isDone = false
      init() {
        _ = MainScheduler.instance.scheduleRelative((), dueTime: .milliseconds(500)) {
          [weak self] _ in
          self?.isDone = true
          return Disposables.create()
        }
      }
    }
    #expect(throws: SimulationFailure.self) {
      try Simulation.allOrders(for: .seconds(1)) { world in
        let (a, b) = (world.host("a") { _ in Program() }, world.host("b") { _ in Program() })
        world.always("a is done before b") { !(b.isDone == true && a.isDone != true) }
      }
    }
  }

  @Test func `the number of runs is limited`() throws {
    let orders = try Simulation.allOrders(for: .seconds(1), upTo: 3) { world in
      _ = Self.letters(world)
    }
    #expect(orders.runCount == 3 && orders.stateCount == 0 && !orders.isComplete)
  }

  @Test func `a simulation without a choice has one order`() throws {
    let orders = try Simulation.allOrders(for: .seconds(1)) { world in
      world.after(.milliseconds(500)) {}
    }
    #expect(orders.isComplete && orders.runCount == 1)
  }

  @Test func `messages that are sent at one moment arrive in each order`() throws {
    var firsts: Set<String> = []
    let orders = try Simulation.allOrders(for: .seconds(1), upTo: 300) { world in
      let server = world.host("server") { _ in try Echo() }
      for name in ["a", "b"] {
        world.host(name) { _ in
          let socket = WebSocket.connect(to: "ws://server:8080/")
          return (
            socket,
            socket.states.subscribe(onNext: { [weak socket] state in
              if state == .connected { try? socket?.send(name) }
            })
          )
        }
      }
      world.after(.milliseconds(900)) {
        if let first = server.received?.first { firsts.insert(first) }
      }
    }
    #expect(firsts == ["a", "b"], "\(orders)")
  }
}
