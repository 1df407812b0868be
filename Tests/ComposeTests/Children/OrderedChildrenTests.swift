import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("Children whose states are in an IdentifiedArray", .workerPool)
struct OrderedChildrenTests {
  final class Row: Composer {
    enum Action: Equatable { case tick, poll(Bool) }
    struct State: Equatable, Identifiable {
      let id: Int
      var ticks = 0
      var isPolling = false
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken
    private let asked: EventRecorder<Int>

    init(_ liveCount: LiveCount, _ asked: EventRecorder<Int>) {
      token = LiveToken(liveCount)
      self.asked = asked
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .tick: state.ticks += 1
      case .poll(let isPolling): state.isPolling = isPolling
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      asked.append(state.id)
      return state.isPolling
        ? [StateEffect(id: "poll") { .interval(.send(.tick), period: .seconds(1)) }] : []
    }
  }

  final class List: Composer {
    enum Action: Equatable {
      case row(Int, Row.Action), add(Int), insert(Int, at: Int), delete(Int), move(Int, to: Int)
      case set([Int]), rename(Int, Int), touch
    }
    struct State: Equatable {
      var rows: IdentifiedArray<Row.State> = []
      var touches = 0
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let rows: Children<State, Action, Int, Row>

    init(_ liveCount: LiveCount, _ asked: EventRecorder<Int>) {
      rows = Children(\State.rows, Action.row) { Row(liveCount, asked) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .row(let id, let action):
        return rows.reduce(&state, id, action)
      case .add(let id): state.rows.append(Row.State(id: id, isPolling: true))
      case .insert(let id, let position):
        state.rows.insert(Row.State(id: id, isPolling: true), at: position)
      case .delete(let id): state.rows[id: id] = nil
      case .move(let id, let position): state.rows.move(id: id, to: position)
      case .set(let ids):
        state.rows = IdentifiedArray(ids.map { Row.State(id: $0, isPolling: true) })
      case .rename(let id, let other):
        state.rows[id: id] = Row.State(id: other, isPolling: true)
      case .touch: state.touches += 1
      }
      return .none
    }
  }

  private let time = VirtualTime()
  private let liveCount = LiveCount()
  private let asked = EventRecorder<Int>()

  private func list(_ ids: some Sequence<Int> = []) -> Composed<List.State, List.Action> {
    let list = time.run { Composed(sending: List(liveCount, asked)) }
    list.send(.set(Array(ids)))
    return list
  }

  /// The number of ticks of each row that has ticked.
  private func ticks(_ list: Composed<List.State, List.Action>) -> [Int: Int] {
    Dictionary(uniqueKeysWithValues: list.state.rows.map { ($0.id, $0.ticks) }.filter { $1 > 0 })
  }

  @Test func `only children whose state has changed are asked`() {
    let list = list(0..<200)
    #expect(asked.events == Array(0..<200))
    func asks(_ actions: List.Action...) -> [Int] {
      let before = asked.events.count
      for action in actions { list.send(action) }
      return Array(asked.events[before...])
    }
    #expect(asks(.touch) == [])
    #expect(asks(.row(7, .tick)) == [7])
    #expect(asks(.row(7, .tick), .row(150, .tick)) == [7, 150])
    #expect(asks(.add(200)) == [200])
    #expect(asks(.insert(201, at: 3)).contains(201))
    #expect(asks(.delete(5)) == [])
    #expect(asks(.delete(5)) == [])
  }

  @Test func `effects of children start and end with their states`() {
    let list = list(0..<100)
    list.send(.row(3, .poll(false)))
    list.send(.delete(4))
    list.send(.insert(100, at: 0))
    list.send(.move(7, to: 90))
    time.advance(by: .seconds(1))
    let expected = Set(0...100).subtracting([3, 4])
    #expect(Set(ticks(list).keys) == expected)
    #expect(Set(ticks(list).values) == [1])
    #expect(liveCount.count == 100)
    list.send(.row(3, .poll(true)))
    list.send(.set([]))
    time.advance(by: .seconds(5))
    #expect(list.state.rows.isEmpty)
    #expect(liveCount.count == 0)
  }

  @Test func `a moved child keeps its running effect`() {
    let list = list(0..<300)
    time.advance(by: .milliseconds(600))
    for id in stride(from: 0, to: 300, by: 7) { list.send(.move(id, to: 299 - id)) }
    for id in stride(from: 1, to: 200, by: 3) { list.send(.delete(id)) }
    time.advance(by: .milliseconds(400))
    #expect(ticks(list).count == list.state.rows.count)
  }

  @Test func `a state with another id is another child`() {
    let list = list(0..<3)
    time.advance(by: .milliseconds(600))
    list.send(.rename(1, 5))
    time.advance(by: .milliseconds(600))
    #expect(ticks(list) == [0: 1, 2: 1])
    list.send(.rename(0, 2))
    #expect(list.state.rows.ids == [2, 5])
    time.advance(by: .milliseconds(400))
    #expect(ticks(list) == [5: 1])
    #expect(liveCount.count == 2)
  }

  @Test func `a child that is created and loses its state in one step ends`() {
    let list = list(0..<3)
    for id in 3..<100 {
      list.send(.add(id))
      list.send(.row(id, .tick))
      list.send(.delete(id))
    }
    #expect(liveCount.count == 3)
  }

  @Test(arguments: 0..<10)
  func `random changes run the effects of the states that remain`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let list = list(0..<100)
    for _ in 0..<400 {
      let id = Int.random(in: 0..<250, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        list.send(.insert(id, at: Int.random(in: 0...list.state.rows.count, using: &random)))
      case 2, 3: list.send(.delete(id))
      case 4 where !list.state.rows.isEmpty:
        list.send(.move(id, to: Int.random(in: 0..<list.state.rows.count, using: &random)))
      case 5, 6: list.send(.row(id, .poll(Bool.random(using: &random))))
      case 7: list.send(.rename(id, Int.random(in: 0..<250, using: &random)))
      default: break
      }
    }
    let before = Dictionary(uniqueKeysWithValues: list.state.rows.map { ($0.id, $0.ticks) })
    time.advance(by: .seconds(1))
    for row in list.state.rows {
      #expect(row.ticks == (before[row.id] ?? 0) + (row.isPolling ? 1 : 0), "row \(row.id)")
    }
    #expect(liveCount.count == list.state.rows.count)
    list.send(.set([]))
    #expect(liveCount.count == 0)
  }
}
