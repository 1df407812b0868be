import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Destination: Composer {
  enum Action {
    case drillDown(BasicCounter.Action), popover(BasicCounter.Action), sheet(BasicCounter.Action)
  }
  enum State: Equatable {
    case drillDown(BasicCounter.State), popover(BasicCounter.State), sheet(BasicCounter.State)
  }

  @ComposableState var state = State.drillDown(BasicCounter.State())
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let drillDown = Child(
    case: State.drillDown, { if case .drillDown(let counter) = $0 { counter } else { nil } },
    Action.drillDown
  ) { BasicCounter() }
  let popover = Child(
    case: State.popover, { if case .popover(let counter) = $0 { counter } else { nil } },
    Action.popover
  ) { BasicCounter() }
  let sheet = Child(
    case: State.sheet, { if case .sheet(let counter) = $0 { counter } else { nil } },
    Action.sheet
  ) { BasicCounter() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .drillDown(let action): drillDown.reduce(&state, action)
    case .popover(let action): popover.reduce(&state, action)
    case .sheet(let action): sheet.reduce(&state, action)
    }
  }
}

private final class Destinations: Composer {
  enum Action {
    case showDrillDown, showPopover, showSheet, dismiss, destination(Destination.Action)
  }
  struct State: Equatable { var destination: Destination.State? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let destination = Child(\State.destination, Action.destination) { Destination() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .showDrillDown: state.destination = .drillDown(BasicCounter.State())
    case .showPopover: state.destination = .popover(BasicCounter.State())
    case .showSheet: state.destination = .sheet(BasicCounter.State())
    case .dismiss: state.destination = nil
    case .destination(let action): return destination.reduce(&state, action)
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
    test.send(.destination(.drillDown(.increment))) {
      $0.destination = .drillDown(BasicCounter.State(count: 1))
    }
    test.send(.showPopover) { $0.destination = .popover(BasicCounter.State()) }
    test.send(.showSheet) { $0.destination = .sheet(BasicCounter.State()) }
    test.send(.destination(.sheet(.decrement))) {
      $0.destination = .sheet(BasicCounter.State(count: -1))
    }
    test.send(.dismiss) { $0.destination = nil }
    test.finish()
  }
}
