import Compose

extension Workload {
  /// One composer with many children.
  static let rows = [10, 10_000].flatMap { [changedRow($0), replacedRow($0)] }

  private static func changedRow(_ count: Int) -> Workload {
    Workload(
      "compose/rows\(count)",
      "an action for one of \(count) rows, each a child with a state effect",
      operations: 2_000,
      gates: [.stored(.allocations), .stored(.instructions)]
    ) {
      let table = Composed(sending: RowList(count))
      return { operations in
        for operation in 0..<operations { table.send(.row(operation * 7 % count, .tap)) }
        return table.state.taps
      }
    }
  }

  private static func replacedRow(_ count: Int) -> Workload {
    Workload(
      "compose/replacedRows\(count)",
      "a row that is removed and one that is appended, of \(count) rows as above, as two actions",
      operations: 2_000,
      gates: [.stored(.allocations), .stored(.instructions)]
    ) {
      let table = Composed(sending: RowList(count))
      var replaced = 0
      return { operations in
        for _ in 0..<operations {
          table.send(.remove(replaced))
          table.send(.append(replaced + count))
          replaced += 1
        }
        return table.state.taps
      }
    }
  }
}

private final class Row: Composer {
  enum Action { case tap }
  struct State: Identifiable {
    let id: Int
    var taps = 0
  }

  @ComposableState var state = State(id: 0)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.taps += 1
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: 0) { .run(Observable<Action>.never()) }
  }
}

private final class RowList: Composer {
  enum Action { case row(Int, Row.Action), append(Int), remove(Int) }
  struct State {
    var rows: IdentifiedArray<Row.State>
    var taps = 0
  }

  @ComposableState var state: State
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let rows = Children(\State.rows, Action.row) { Row() }
  static let reducesInPlace = true

  init(_ count: Int) { state = State(rows: IdentifiedArray((0..<count).map { Row.State(id: $0) })) }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .row(let id, let action):
      state.taps += 1
      return rows.reduce(&state, id, action)
    case .append(let id): state.rows.append(Row.State(id: id))
    case .remove(let id):
      state.taps += 1
      state.rows[id: id] = nil
    }
    return .none
  }
}
