import Foundation
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("What holds in every simulation", .workerPool)
struct CheckTests {
  @Test func `messages arrive in the order in which the other end has sent them`() {
    let end = SimulatedExchange().connecting
    for each in [end, end.other] { each.report() }
    end.send(.text("1"))
    end.send(.binary(Data([1])))
    end.other.send(.text("1"))
    #expect(end.other.receive(.text("1")))
    #expect(end.other.receive(.binary(Data([1]))))
    #expect(end.receive(.text("1")))
  }

  @Test func `a message that is missing, doubled or changed is found`() {
    let end = SimulatedExchange().connecting
    end.report()
    for text in ["1", "2", "3"] { end.send(.text(text)) }
    #expect(end.other.receive(.text("1")))
    #expect(!end.other.receive(.text("1")), "doubled")
    #expect(end.other.receive(.text("3")), "what was taken for it is not compared again")
    #expect(!end.other.receive(.text("4")), "never sent")
  }

  @Test func `a text and data of the same bytes are not the same`() {
    let end = SimulatedExchange().connecting
    end.report()
    end.send(.text("1"))
    #expect(!end.other.receive(.binary(Data("1".utf8))))
  }

  @Test func `an end that reports nothing is not compared`() {
    let end = SimulatedExchange().connecting
    #expect(end.other.receive(.text("1")))
  }

  @Test func `a second end of a connection is found`() {
    let end = SimulatedExchange().connecting
    #expect(end.end() && end.other.end())
    #expect(!end.end())
  }

  @Test func `a message that is sent in fragments arrives once`() throws {
    var received: [String] = []
    try Simulation(seed: 1, for: .seconds(5)) { world in
      let server = world.host("server") { _ in try Echo() }
      world.host("client") { _ in
        let socket = WebSocket("ws://server:8080/")
        socket.connect()
        Task {
          try await socket.connected()
          try await socket.sendFragments(
            of: AsyncStream { continuation in
              for part in ["a", "", "bc"] { continuation.yield(part) }
              continuation.finish()
            })
          try socket.send("d")
        }
        return socket
      }
      world.after(.seconds(4)) { received = server.received ?? [] }
    }
    #expect(received == ["abc", "d"])
  }

  @Test func `a host that keeps what has ended is named`() {
    final class Collector: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      private var sockets: [WebSocket] = []
      private let bag = DisposeBag()
      init() {
        Observable<Int>.interval(.milliseconds(100), scheduler: MainScheduler.instance)
          .subscribe(onNext: { [weak self] _ in
            self?.sockets.append(.connect(to: "ws://server:1/"))
          })
          .disposed(by: bag)
      }
    }
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(60)) { world in
          world.host("server") { _ in 0 }
          world.host("client") { _ in Collector() }
        }
      },
      throws: { error in
        guard case .violated(let rule, let detail)? = (error as? SimulationFailure)?.problem else {
          return false
        }
        return rule == "connections that have ended are released, at client"
          && detail.hasSuffix(" are kept")
      })
  }

  @Test func `a composer that is released in a simulation ends its effects`() throws {
    final class Ticking: Composer {
      enum Action { case start, tick }
      @ComposableState var state = 0
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()

      func reducer(_ state: inout Int, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .start: return .interval(.send(.tick), period: .seconds(1))
        case .tick: state += 1
        }
        return .none
      }
    }
    final class Program {
      var composer: Composed<Int, Ticking.Action>?
    }
    // Tools watch the composers of even seeds.
    for seed in 1...2 as ClosedRange<UInt64> {
      var ticks: Int?
      try Simulation(seed: seed, for: .seconds(60)) { world in
        let host = world.host("host") { _ in
          let program = Program()
          program.composer = Composed(sending: Ticking(), on: .main)
          program.composer?.send(.start)
          return program
        }
        world.after(.milliseconds(9_500)) { ticks = host.composer??.state }
        world.after(.seconds(10)) { host.perform { $0.composer = nil } }
      }
      #expect(ticks == 9)
    }
  }

  /// Adds numbers to its state: those that it counts itself, or ids that it draws.
  private final class Numbering: Composer {
    enum Action { case count, draw }
    @ComposableState var state: [String] = []
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private var last = 0

    func reducer(_ state: inout [String], _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .count:
        last += 1
        state.append("\(last)")
      case .draw: state.append("\(Dependencies.current.uuid())")
      }
      return .none
    }
  }

  /// Sends an action to a composer of a simulation with an even seed, whose reducer is called twice.
  private func reduce(_ actions: [Numbering.Action]) throws -> [String] {
    var state: [String] = []
    try Simulation(seed: 2, for: .seconds(5)) { world in
      let host = world.host("phone") { _ in
        let composer = Composed(sending: Numbering(), on: .main)
        for action in actions { composer.send(action) }
        return composer
      }
      world.after(.seconds(4)) { state = host.state ?? [] }
    }
    return state
  }

  @Test func `a reducer that gives another state for the same action is named`() {
    #expect(
      performing: { try reduce([.draw, .count]) },
      throws: { error in
        guard case .violated(let rule, let detail)? = (error as? SimulationFailure)?.problem else {
          return false
        }
        return rule.hasPrefix("a reducer gives the same state again, in ")
          && rule.hasSuffix("Numbering at phone") && detail.hasSuffix("for count")
      })
  }

  @Test func `a reducer that draws from its dependencies gives the same state again`() throws {
    let state = try reduce([.draw, .draw])
    #expect(state.count == 2 && Set(state).count == 2)
  }
}
