import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("The sender of an action", .workerPool) struct StepRecorderTests {
  @Test func `the effect of a state is described by its id`() {
    let test = TestComposer(Reporting())
    test.advance(by: .seconds(1))
    fails("    polled (step 1, at 1 s, sent by effect 1 (state effect poll))") { test.finish() }
  }

  @Test func `the effect of a failure is described by the effect that failed`() {
    let test = TestComposer(Reporting())
    test.send(.fail)
    fails("    failed (step 2, at 0 s, sent by effect 3 of the failure of effect 2)") {
      test.finish()
    }
  }

  @Test func `the effect of a middleware is described by the action before it`() {
    let test = TestComposer(Reporting())
    test.send(.log)
    fails("    logged (step 2, at 0 s, sent by effect 2 of a middleware after log)") {
      test.finish()
    }
  }
}

/// A composer with an effect of each origin.
private final class Reporting: Composer, EffectFailureHandling {
  enum Action { case fail, failed, log, logged, polled }
  struct State {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  var middleware: [any Middleware<State, Action>] { [Logging()] }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: "poll") { .interval(.send(.polled), period: .seconds(1)) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    guard case .fail = action else { return .none }
    return .run { _ in throw Failure() }
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
    .run { effect in effect.onNext(.send(.failed)) }
  }
}

private final class Logging: Middleware {
  func didReduce(
    _ action: Reporting.Action, _ state: Reporting.State
  ) -> Observable<Effect<Reporting.Action>> {
    guard case .log = action else { return .none }
    return .run { effect in effect.onNext(.send(.logged)) }
  }
}
