import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

final class BasicCounter: Composer {
  enum Action { case increment, decrement }
  struct State: Equatable { var count = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .increment: state.count += 1
    case .decrement: state.count -= 1
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: a counter", .workerPool)
struct CounterStudyTests {
  @Test func `a counter counts up and down`() {
    let test = TestComposer(BasicCounter())
    test.send(.increment) { $0.count = 1 }
    test.send(.decrement) { $0.count = 0 }
    test.send(.decrement) { $0.count = -1 }
    test.finish()
  }
}
