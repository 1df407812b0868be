import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("Rows without state effects and children", .workerPool)
struct PlainRowsTests {
  class Row: Composer {
    enum Action: Equatable { case count, load, close }
    struct State: Equatable, Identifiable {
      let id: Int
      var count = 0
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken

    init(_ liveCount: LiveCount) { token = LiveToken(liveCount) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .count: state.count += 1
      case .load: return .send(.count, after: .seconds(1))
      case .close: return .dismiss
      }
      return .none
    }
  }

  final class List: Composer {
    enum Action: Equatable { case row(Int, Row.Action), set(Range<Int>) }
    struct State: Equatable { var rows: IdentifiedArray<Row.State> = [] }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let rows: Children<State, Action, Int, Row>

    init(_ liveCount: LiveCount) {
      rows = Children(\State.rows, Action.row) { Row(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .set(let ids): state.rows = IdentifiedArray(ids.map { Row.State(id: $0) })
      }
      return .none
    }
  }

  private let time = VirtualTime()
  private let liveCount = LiveCount()

  private func list(_ ids: Range<Int>) -> Composed<List.State, List.Action> {
    let list = time.run { Composed(sending: List(liveCount)) }
    list.send(.set(ids))
    return list
  }

  @Test func `each is created by its first action, and ends with its state`() {
    let list = list(0..<10_000)
    // The first one has shown that they need no composer.
    #expect(liveCount.count == 1)
    list.send(.row(7, .count))
    list.send(.row(7, .count))
    #expect(list.state.rows[id: 7]?.count == 2)
    #expect(liveCount.count == 2)
    list.send(.set(8..<20))
    #expect(liveCount.count == 0)
    list.send(.row(9, .count))
    #expect(liveCount.count == 1)
  }

  @Test func `rows that are made for their ids may have children of their own`() {
    let list = time.run { Composed(sending: Mixed()) }
    list.send(.set(1..<3))
    time.advance(by: .seconds(1))
    #expect(list.state.rows.map(\.clock.ticks) == [0, 1])
  }

  final class Clock: Composer {
    struct State: Equatable { var ticks = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Void>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Void) -> Observable<Effect<Void>> {
      state.ticks += 1
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Void>] {
      StateEffect(id: "tick") { .interval(.send(()), period: .seconds(1)) }
    }
  }

  final class MixedRow: Composer {
    enum Action { case clock }
    struct State: Equatable, Identifiable {
      let id: Int
      var clock = Clock.State()
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let clock: Child<State, Action, Clock>?

    init(_ id: Int) {
      clock = id == 2 ? Child(\State.clock, { Action.clock }) { Clock() } : nil
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      clock?.reduce(&state, ()) ?? .none
    }
  }

  final class Mixed: Composer {
    enum Action { case row(Int, MixedRow.Action), set(Range<Int>) }
    struct State: Equatable { var rows: IdentifiedArray<MixedRow.State> = [] }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let rows = Children(\State.rows, Action.row) { MixedRow($0) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .set(let ids): state.rows = IdentifiedArray(ids.map { MixedRow.State(id: $0) })
      }
      return .none
    }
  }

  @Test func `their effects run, and end with them`() {
    let list = list(0..<3)
    for id in 0..<3 { list.send(.row(id, .load)) }
    list.send(.row(1, .close))
    time.advance(by: .seconds(1))
    #expect(list.state.rows.map(\.count) == [1, 1])
    list.send(.row(0, .load))
    list.send(.set(1..<3))
    list.send(.set(0..<3))
    time.advance(by: .seconds(1))
    #expect(list.state.rows.map(\.count) == [0, 0, 0])
  }
}
