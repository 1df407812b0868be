// Testing a reducer
//
// Problem: A test says what a reducer does with one action in one state, and which actions it
// sends, without starting anything.
//
// Words: unit test, reducer test, TestStore, given when then, pure function
//
// Why: `Given` reduces actions one after the other from a state that the test chooses. The closure
// changes that state to the expected one, and a failure names the parts that differ.
//
// Ends: No effect is started, so nothing has to end. `thenSends` compares what is sent at once;
// asynchronous work is seen by a `TestComposer`.
//
// See: ReactiveTesting/Given, ReactiveTesting/TestingComposers, ReactiveTesting/StubComposer

import Compose
import ReactiveTesting
import Testing

final class Quiz: Composer {
  enum Action: Equatable { case answer(Int), solved(tries: Int) }
  struct State: Equatable { var solution = 42, tries = 0, hint = "" }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .answer(let number):
      state.tries += 1
      if number == state.solution { return .send(.solved(tries: state.tries)) }
      state.hint = number < state.solution ? "more" : "less"
    case .solved: state.hint = ""
    }
    return .none
  }
}

@Test func `a wrong answer has a hint, and the right one is reported`() {
  Given(Quiz(), .init(tries: 1))
    .when(.answer(50))
    .then { ($0.tries, $0.hint) = (2, "less") }
    .thenSends()
  Given(Quiz(), .init(tries: 2, hint: "less"))
    .when(.answer(42))
    .then { $0.tries = 3 }
    .thenSends(.solved(tries: 3))
}
