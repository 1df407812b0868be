import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class ToggledTimer: Composer {
  enum Action { case toggle, tick, disappeared }
  struct State: Equatable { var seconds = 0, isActive = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle: state.isActive.toggle()
    case .tick: state.seconds += 1
    case .disappeared: state.isActive = false
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isActive {
      StateEffect(id: "timer") { .interval(.send(.tick), period: .seconds(1)) }
    }
  }
}

// MARK: - Tests

@Suite("Case study: a timer", .workerPool)
struct TimersStudyTests {
  @Test func `a timer ticks each second until it is toggled, or its screen disappears`() {
    let test = TestComposer(ToggledTimer())
    test.send(.toggle) { $0.isActive = true }
    test.expect("-ttt", ["t": .tick]) { $0.seconds = 3 }
    test.send(.toggle) { $0.isActive = false }
    test.expect("-----", [:])
    test.send(.toggle) { $0.isActive = true }
    test.expect("-t", ["t": .tick]) { $0.seconds = 4 }
    test.send(.disappeared) { $0.isActive = false }
    test.expect("-----", [:])
    test.finish()
  }
}
