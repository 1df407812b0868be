// Testing an effect
//
// Problem: A test waits for nothing, and still sees when an effect sends its actions, that it was
// cancelled, and that no effect runs on.
//
// Words: async test, virtual time, TestClock, TestScheduler, flaky test, test effect
//
// Why: A `TestComposer` has a clock of its own. `expect` draws what is received, one character a
// second; an action that the test does not name fails it.
//
// Ends: `finish` fails the test when an effect still runs, or an action was not received. Errors
// that no `catch` takes fail it, too.
//
// See: ReactiveTesting/TestComposer, ReactiveTesting/TestingComposers, ReactiveTesting/VirtualTime

import Compose
import ReactiveTesting
import Testing

final class EggTimer: Composer {
  enum Action: Equatable { case start(seconds: Int), tick, ring, stop }
  struct State: Equatable { var seconds = 0, isRinging = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start(let seconds):
      return .merge(
        .interval(.send(.tick), period: .seconds(1)).cancellable(id: "ticks"),
        .send(.ring, after: .seconds(seconds)).cancellable(id: "ring"))
    case .tick: state.seconds += 1
    case .ring:
      state.isRinging = true
      return .cancel(id: "ticks")
    case .stop:
      state = State()
      return .merge(.cancel(id: "ticks"), .cancel(id: "ring"))
    }
    return .none
  }
}

@Test func `an egg timer ticks until it rings`() {
  let test = TestComposer(EggTimer())
  test.send(.start(seconds: 3))
  // The ring of second 3 cancels the tick of second 3, which is due after it.
  test.expect("-tt(r|)", ["t": .tick, "r": .ring]) { $0 = .init(seconds: 2, isRinging: true) }
  test.finish()
}

@Test func `a stopped egg timer does not ring`() {
  let test = TestComposer(EggTimer())
  test.send(.start(seconds: 3))
  test.expect("-t", ["t": .tick]) { $0.seconds = 1 }
  test.send(.stop) { $0 = .init() }
  test.advance(by: .seconds(60))
  test.finish()
}
