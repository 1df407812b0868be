import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Destinations: Composer {
  enum Destination: Equatable {
    case drillDown(BasicCounter.State), popover(BasicCounter.State), sheet(BasicCounter.State)
  }
  enum Action {
    case showDrillDown, showPopover, showSheet, dismiss
    case drillDown(BasicCounter.Action), popover(BasicCounter.Action), sheet(BasicCounter.Action)
  }
  struct State: Equatable { var destination: Destination? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let drillDown = Child(
    \State.destination, case: Destination.drillDown,
    { if case .drillDown(let counter) = $0 { counter } else { nil } }, Action.drillDown
  ) { BasicCounter() }
  let popover = Child(
    \State.destination, case: Destination.popover,
    { if case .popover(let counter) = $0 { counter } else { nil } }, Action.popover
  ) { BasicCounter() }
  let sheet = Child(
    \State.destination, case: Destination.sheet,
    { if case .sheet(let counter) = $0 { counter } else { nil } }, Action.sheet
  ) { BasicCounter() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .showDrillDown: state.destination = .drillDown(BasicCounter.State())
    case .showPopover: state.destination = .popover(BasicCounter.State())
    case .showSheet: state.destination = .sheet(BasicCounter.State())
    case .dismiss: state.destination = nil
    case .drillDown(let action): return drillDown.reduce(&state, action)
    case .popover(let action): return popover.reduce(&state, action)
    case .sheet(let action): return sheet.reduce(&state, action)
    }
    return .none
  }
}

// MARK: - Tests

@Suite("Case study: one of several destinations", .workerPool)
struct DestinationsStudyTests {
  @Test func `one of three destinations is shown at a time`() {
    let test = TestComposer(Destinations())
    test.send(.showDrillDown) { $0.destination = .drillDown(BasicCounter.State()) }
    test.send(.drillDown(.increment)) {
      $0.destination = .drillDown(BasicCounter.State(count: 1))
    }
    test.send(.showPopover) { $0.destination = .popover(BasicCounter.State()) }
    test.send(.showSheet) { $0.destination = .sheet(BasicCounter.State()) }
    test.send(.sheet(.decrement)) {
      $0.destination = .sheet(BasicCounter.State(count: -1))
    }
    test.send(.dismiss) { $0.destination = nil }
    test.finish()
  }
}
