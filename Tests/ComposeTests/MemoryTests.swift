#if canImport(CReactiveSystem) && !SANITIZED
import CReactiveSystem
import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

// Each measurement runs in a separate process, in which no other test allocates.

@Suite("Memory of composers", .workerPool(limit: 300))
struct MemoryTests {
  final class Counter: Composer {
    enum Action {
      case increment, chain(Int), run, timer, ran, use(Int), throttle, join(Int), leave
    }
    struct State { var count = 0, room: Int? }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      state.count += 1
      switch action {
      case .chain(let left) where left > 0: return .send(.chain(left - 1))
      case .run: return .run(.just(.ran))
      case .timer: return .cancel(&disposeBag)
      case .use(let id):
        return .concatenate(
          Observable.send(.ran).cancellable(id: id, whenBusy: .replace),
          Observable.send(.ran).throttle(id: "\(id)", for: .nanoseconds(1)),
          .cancel(id: id)
        )
      case .throttle:
        return .concatenate(
          Observable.send(.ran).throttle(id: "throttle", for: .seconds(86_400)),
          .cancel(id: "throttle"))
      case .join(let room): state.room = room
      case .leave: state.room = nil
      default: break
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if let room = state.room { StateEffect(id: room) { .run(.never()) } }
    }
  }

  @Test func `reduced actions keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let counter = Composed(sending: Counter())
      for _ in 0..<1_000 { counter.send(.increment) }
      let growth = heapGrowth { for _ in 0..<100_000 { counter.send(.increment) } }
      // The test runner may allocate a little during the measurement.
      precondition(growth < 10_000, "\(growth) bytes kept")
      precondition(counter.state.count == 101_000)
    }
  }

  @Test func `ended effects keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let counter = Composed(sending: Counter())
      let effects: [Counter.Action] = [.run, .timer, .chain(5)]
      for _ in 0..<100 { for effect in effects { counter.send(effect) } }
      let growth = heapGrowth {
        for _ in 0..<20_000 { for effect in effects { counter.send(effect) } }
      }
      precondition(growth < 10_000, "\(growth) bytes kept")
    }
  }

  @Test func `unused ids keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let time = VirtualTime()
      let counter = time.run { Composed(sending: Counter()) }
      func use(_ numbers: Range<Int>) {
        for number in numbers {
          counter.send(.use(number))
          time.advance(by: .seconds(1))
        }
      }
      use(0..<1_000)
      let growth = heapGrowth { use(1_000..<20_000) }
      precondition(growth < 10_000, "\(growth) bytes kept")
    }
  }

  @Test func `cancelled throttling intervals keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let counter = Composed(sending: Counter())
      for _ in 0..<1_000 { counter.send(.throttle) }
      let growth = heapGrowth { for _ in 0..<20_000 { counter.send(.throttle) } }
      precondition(growth < 10_000, "\(growth) bytes kept")
      precondition(counter.state.count == 42_000)
    }
  }

  @Test func `ended state effects keep no memory`() async {
    await #expect(processExitsWith: .success) {
      let counter = Composed(sending: Counter())
      func join(_ rooms: Range<Int>) { for room in rooms { counter.send(.join(room)) } }
      join(0..<1_000)
      let growth = heapGrowth { join(1_000..<20_000) }
      precondition(growth < 10_000, "\(growth) bytes kept")
    }
  }

  @Test func `the memory of a burst of queued actions is released`() async {
    await #expect(processExitsWith: .success) {
      @MainActor
      final class Screen { @Compose var composer = Counter() }
      let (action, state) = await MainActor.run {
        let screen = Screen()
        kept = screen
        return (screen.composer.action, screen.composer.$state)
      }
      // The main queue is blocked, so that all actions are queued.
      let growth = await MainActor.run {
        let group = DispatchGroup()
        var waiting = 0
        let growth = heapGrowth {
          DispatchQueue.global().async(group: group) {
            for _ in 0..<100_000 { action.accept(.increment) }
          }
          precondition(group.wait(timeout: .now() + 60) == .success, "they wait for main")
          waiting = Int(csystem_heap_in_use())
          action.accept(.increment)
        }
        precondition(state.wrappedValue.count == 100_001)
        precondition(waiting > 0)
        return growth
      }
      precondition(growth < 64 * 1_024, "\(growth) bytes kept")
    }
  }
}

@MainActor private var kept: AnyObject?
#endif
