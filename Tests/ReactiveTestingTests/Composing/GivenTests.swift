import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct GivenTests {
  private let probe = ClosureComposer { probe, state, action in
    switch action {
    case .go: .send(.tick)
    case .tick: .group(.stop, .number(state.count))
    case .number(let number):
      .run { _ in Issue.record("No effect may be started, but \(number) was.") }
    case .named(let text):
      note("\(text) \(probe.state.count)", &state)
    default: .none
    }
  }

  @Test func `given and when return a state and effects as values`() {
    let reduced = Given(probe, ClosureComposer.State(count: 5)).when(.go, .tick, .number(1), .stop)
    #expect(reduced.state.count == 9)
    #expect(reduced.effects == [.send(.tick), .group([.stop, .number(7)]), .work, .none])
    #expect(reduced.sent == [.tick, .stop, .number(7)])
  }

  @Test func `given, when and then assert state and effects in one chain`() {
    Given(probe, ClosureComposer.State())
      .when(.go, .tick)
      .then { $0.count = 2 }
      .thenSends(.tick, .stop, .number(2))
  }

  @Test func `given decides with the state after the action`() {
    let deciding = ClosureComposer { _, _, _ in
      .decide { (state: ClosureComposer.State) in state.count > 1 ? [.number(state.count)] : [] }
    }
    Given(deciding, ClosureComposer.State()).when(.go, .go).thenSends(.number(2))
  }

  @Test func `given fails at the assertion for an unexpected state or action`() {
    let reduced = Given(probe, ClosureComposer.State()).when(.go)
    fails("The state is not the expected one:\n    count: expected 3, got 1", line: #line + 1) {
      reduced.then { $0.count = 3 }
    }
    fails("Sent 1 entry, expected 2", "tick", "expected  stop", line: #line + 1) {
      reduced.thenSends(.tick, .stop)
    }
  }

  @Test func `given says that what a combination of effects sends is unknown`() {
    let merging = ClosureComposer { _, _, action in
      action == .go ? .merge(.send(.tick), .send(.stop)) : .concatenate(.send(.tick))
    }
    let reduced = Given(merging, ClosureComposer.State()).when(.go, .tick)
    #expect(reduced.effects == [.work, .work])
    fails(
      "Sent 0 entries, expected 2",
      "What the effect of action 1, 2 sends is unknown before it is started",
      line: #line + 2
    ) {
      reduced.thenSends(.tick, .stop)
    }
    fails("Sent 1 entry, expected 2", line: #line + 1) {
      Given(probe, ClosureComposer.State()).when(.go).thenSends(.tick, .stop)
    }
  }

  @Test func `given shows the action that follows the dismissal of a child`() {
    let last = Drawer.State(isFull: true)
    let reduced = Given(Cupboard(), Cupboard.State(drawer: last)).when(.drawer(.close))
    #expect(reduced.effects == [.change("dismiss Drawer", followedBy: .closed(last))])
    reduced.thenSends(.closed(last))
    let silent = Given(Cupboard(), Cupboard.State(spare: last)).when(.spare(.close))
    #expect(silent.effects == [.change("dismiss Drawer")])
    #expect(silent.sent == [])
  }

  @Test func `given provides the state that the reducer reads`() {
    let reduced = Given(probe, ClosureComposer.State(count: 5)).when(
      .named(text: "a"), .named(text: "b"))
    #expect(reduced.state.log == ["a 5", "b 6"])
  }

  @Test func `given fails the test for a reported problem`() {
    let search = Child(\Search.State?.self, { _ in ClosureComposer.Action.stop }) {
      Search(api: .stub)
    }
    let misuse = ClosureComposer { _, _, _ in
      var absent: Search.State?
      return search.reduce(&absent, .cleared)
    }
    fails("has no state", line: #line + 1) {
      Given(misuse, ClosureComposer.State()).when(.go).then { $0.count = 1 }
    }
  }
}

private func note(_ text: String, _ state: inout ClosureComposer.State) -> Observable<
  Effect<ClosureComposer.Action>
> {
  state.log.append(text)
  return .none
}

private final class Drawer: Composer {
  enum Action: Equatable { case close }
  struct State: Equatable { var isFull = false }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .dismiss }
}

private final class Cupboard: Composer {
  enum Action: Equatable { case drawer(Drawer.Action), spare(Drawer.Action), closed(Drawer.State) }
  struct State: Equatable { var drawer: Drawer.State?, spare: Drawer.State? }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let drawer = Child(\State.drawer, Action.drawer, onDismiss: Action.closed) { Drawer() }
  let spare = Child(\State.spare, Action.spare) { Drawer() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .drawer(let action): drawer.reduce(&state, action)
    case .spare(let action): spare.reduce(&state, action)
    case .closed: .none
    }
  }
}
