import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Nested: Composer {
  indirect enum Action: Sendable {
    case add, rename(String), remove(IndexSet), row(UUID, Action)
  }

  struct State: Equatable, Identifiable {
    let id: UUID
    var name = ""
    var rows: IdentifiedArray<State> = []
  }

  @ComposableState var state: State
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let rows: Children<State, Action, UUID, Nested>
  private let makeID: @Sendable () -> UUID

  init(_ state: State, makeID: @escaping @Sendable () -> UUID) {
    self.state = state
    self.makeID = makeID
    rows = Children(\State.rows, Action.row) { Nested(State(id: $0), makeID: makeID) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add: state.rows.append(State(id: makeID()))
    case .rename(let name): state.name = name
    case .remove(let offsets): state.rows.remove(atOffsets: offsets)
    case .row(let id, let action): return rows.reduce(&state, id, action)
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: rows in rows", .workerPool)
struct RecursionStudyTests {
  @Test func `rows are added, renamed and removed at any depth`() {
    let ids = (0...3).map { _ in UUID() }
    let next = Locked(0)
    let test = TestComposer(
      Nested(.init(id: ids[0])) {
        next.withLock { number in
          number += 1
          return ids[number]
        }
      }
    )
    test.send(.add) { $0.rows = [.init(id: ids[1])] }
    test.send(.row(ids[1], .add)) { $0.rows[id: ids[1]]?.rows = [.init(id: ids[2])] }
    test.send(.row(ids[1], .row(ids[2], .add))) {
      $0.rows[id: ids[1]]?.rows[id: ids[2]]?.rows = [.init(id: ids[3])]
    }
    test.send(.row(ids[1], .row(ids[2], .row(ids[3], .rename("deep"))))) {
      $0.rows[id: ids[1]]?.rows[id: ids[2]]?.rows[id: ids[3]]?.name = "deep"
    }
    test.send(.row(ids[1], .remove([0]))) { $0.rows[id: ids[1]]?.rows = [] }
    test.send(.remove([0])) { $0.rows = [] }
    test.finish()
  }
}
