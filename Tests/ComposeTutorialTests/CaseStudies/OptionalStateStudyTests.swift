import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class OptionalCounter: Composer {
  enum Action { case toggle, counter(BasicCounter.Action) }
  struct State: Equatable { var counter: BasicCounter.State? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let counter = Child(\State.counter, Action.counter) { BasicCounter() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle: state.counter = state.counter == nil ? BasicCounter.State() : nil
    case .counter(let action): return counter.reduce(&state, action)
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: optional state", .workerPool)
struct OptionalStateStudyTests {
  @Test func `a counter that is shown again begins at zero`() {
    let test = TestComposer(OptionalCounter())
    test.send(.toggle) { $0.counter = BasicCounter.State() }
    test.send(.counter(.increment)) { $0.counter?.count = 1 }
    test.send(.toggle) { $0.counter = nil }
    test.send(.toggle) { $0.counter = BasicCounter.State(count: 0) }
    test.finish()
  }
}
