import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestComposerTests {
  @Test func `a test composer test that expects all steps passes`() {
    let test = TestComposer(Search(api: .stub))
    test.send(.query("s")) {
      $0.query = "s"
      $0.isLoading = true
    }
    test.advance(by: .milliseconds(299))
    test.send(.query("sw")) { $0.query = "sw" }
    test.advance(by: .milliseconds(1_300))
    test.receive(.loaded(["sw1", "sw2"])) {
      $0.results = ["sw1", "sw2"]
      $0.isLoading = false
    }
    #expect(test.state.results.count == 2)
    #expect(test.composer.state.query == "sw")
    #expect(test.running.isEmpty)
    #expect(test.time.elapsed == 1.599)
    test.finish()
    #expect(test.state.query == "sw")
  }

  @Test func `an unexpected state fails the test with its differences`() {
    let test = TestComposer(ClosureComposer { _, _, _ in .none })
    fails("The state after send(go)", "    count: expected 2, got 1", line: #line + 1) {
      test.send(.go) { $0.count = 2 }
    }
    // The next closure receives the received state.
    test.send(.stop) { $0.count += 1 }
    fails("count: expected 2, got 3") { test.send(.go) }
    test.finish()
  }

  @Test func `a difference of a PresentState value is shown without the wrapper`() {
    let test = TestComposer(
      ClosureComposer { _, state, _ in
        state.alert = "x"
        state.log = ["a", "c"]
        return .none
      })
    fails("    log[1]: expected \"b\", got \"c\"\n    alert: expected nil, got \"x\"") {
      test.send(.go) {
        $0.count = 1
        $0.log = ["a", "b"]
      }
    }
    test.finish()
  }

  @Test func `an unexpected action fails the test with its origin`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in
        switch action {
        case .go:
          .merge(
            .send(.number(1)),
            .run { effect in
              try await EffectContext.sleep(.seconds(90))
              effect.onNext(.send(.number(2)))
            })
        case .number(1): .send(.stop)
        default: .none
        }
      })
    test.send(.go) { $0.count = 1 }
    fails("expected  number(3)", "got       number(1) (step 2, at 0 s, sent by effect 1 of go)") {
      test.receive(.number(3)) { $0.count = 2 }
    }
    fails("expected  tick", "got       stop (step 3, at 0 s, sent by step 2)") {
      test.receive(.tick) { $0.count = 3 }
    }
    test.advance(by: .seconds(90))
    fails("expected  group(tick, stop)", "number(2) (step 4, at 90 s, sent by effect 1 of go)") {
      test.receive(group: .tick, .stop) { $0.count = 4 }
    }
    test.finish()
  }

  @Test func `an unreceived action fails the next send and finish`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in action == .go ? .send(.tick) : .none })
    test.send(.go) { $0.count = 1 }
    let message = "1 action was not received before send(stop):\n    tick (step 2, at 0 s"
    fails(message, line: #line + 1) {
      test.send(.stop) { $0.count = 3 }
    }
    test.send(.go) { $0.count = 4 }
    fails("1 action was not received before finish():", line: #line) { test.finish() }
  }

  @Test func `a missing action fails the test with the running effects`() {
    let test = TestComposer(Search(api: .stub))
    test.send(.query("a")) {
      $0.query = "a"
      $0.isLoading = true
    }
    test.advance(by: .milliseconds(100))
    fails(
      "loaded([\"a1\"]) was not received.",
      "    effect 1 (search) of query(\"a\") (step 1), running since 0 s",
      "    The clock shows 0.1 s, the next timer is due at 0.3 s."
    ) { test.receive(.loaded(["a1"])) }
    test.send(.cleared) {
      $0.query = ""
      $0.isLoading = false
    }
    test.finish()
  }

  @Test func `an uncaught error of an effect fails the test`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in
        action == .go
          ? .run { _ in
            try await EffectContext.sleep(.seconds(1))
            throw Failure()
          } : .none
      })
    test.send(.go) { $0.count = 1 }
    fails("An effect of ClosureComposer for go failed with Failure()", line: #line + 1) {
      test.advance(by: .seconds(1))
    }
    test.finish()
  }

  @Test func `an effect that is sent after its run has returned fails the test`() {
    let kept = EventRecorder<AnyObserver<Effect<ClosureComposer.Action>>>()
    let test = TestComposer(
      ClosureComposer { _, _, action in action == .go ? .run { kept.append($0) } : .none })
    test.send(.go) { $0.count = 1 }
    // Outside of the context of the test.
    DispatchQueue(label: "late").sync { kept.events[0].onNext(.send(.tick)) }
    fails("tick", "was sent after its .run had returned") { test.finish() }
  }

  @Test func `a write to self.state in the reducer fails the test`() {
    let test = TestComposer(
      ClosureComposer { probe, _, _ in
        probe.state.count = 9
        return .none
      })
    fails("written through self.state inside the reducer") { test.send(.go) { $0.count = 1 } }
    test.finish()
  }

  @Test func `problems of other composers do not fail the test`() {
    let others = ClosureComposer { _, _, _ in .run(.error(Failure())) }
    let old = ComposeHooks.onProblem
    defer { ComposeHooks.onProblem = old }
    let count = Locked(0)
    ComposeHooks.onProblem = { _ in count.withLock { $0 += 1 } }
    let test = TestComposer(ClosureComposer { _, _, _ in .none })
    let handle = Composed(sending: others)
    handle.send(.go)
    #expect(count.withLock { $0 } == 1)
    test.finish()
  }

  @Test func `a test composer without exhaustivity checks only named values and actions`() {
    let test = TestComposer(
      ClosureComposer { _, state, action in
        state.log.append("\(action)")
        return action == .go
          ? .merge(
            .send(.tick), .send(.number(3)), .send(.stop),
            .interval(.none, period: .seconds(1)))
          : .none
      }, exhaustivity: .off)
    test.send(.go)
    test.receive(.number(3)) { $0.log = ["go", "tick", "number(3)"] }
    fails("count: expected 7, got 5") { test.send(.tick) { $0.count = 7 } }
    fails("number(9) was not received.", "skipped") {
      test.send(.go)
      test.receive(.number(9))
    }
    test.finish()
  }

  @Test func `send fails for an action that transform delays or drops`() {
    let test = TestComposer(Delayed())
    test.send(.up)
    fails("was not reduced") { test.send(.up) { $0.count = 1 } }
    test.advance(by: .seconds(1))
    test.receive(.up) { $0.count = 1 }
    test.receive(.up) { $0.count = 2 }
    test.finish()
  }

  @Test func `finish does not require the end of state effects`() {
    let test = TestComposer(Polling())
    #expect(test.running.map(\.description) == ["effect 1 (state effect poll), running since 0 s"])
    test.advance(by: .seconds(2))
    test.receive(.poll) { $0.polls = 1 }
    test.receive(.poll) { $0.polls = 2 }
    test.finish()
  }

  @Test func `test composers share a given virtual time`() {
    let time = VirtualTime()
    let first = TestComposer(Polling(), in: time)
    let second = TestComposer(Polling(), in: time)
    let handle = Composed(sending: Polling(), on: .virtual(time))
    first.advance(by: .seconds(1))
    first.receive(.poll) { $0.polls = 1 }
    second.receive(.poll) { $0.polls = 1 }
    #expect(handle.state.polls == 1)
    first.finish()
    second.finish()
  }

  @Test func `a composer that is already bound fails the test`() {
    let probe = ClosureComposer { _, _, _ in .none }
    probe.action.accept(.go)
    _ = StubComposer(probe)
    fails("was bound before", line: #line + 1) {
      let test = TestComposer(probe, exhaustivity: .off)
      withExtendedLifetime(test) {}
    }
  }

  @Test func `an action that sends itself without end fails the test`() {
    let test = TestComposer(ClosureComposer { _, _, action in action == .go ? .send(.go) : .none })
    fails("ClosureComposer makes steps without end", "go (step 100000, at 0 s, sent by step 99999)")
    {
      test.send(.go)
    }
    test.exhaustivity = .off
    test.finish()
  }

  @Test func `a state that the test writes must be received`() {
    let test = TestComposer(ClosureComposer { _, _, _ in .none })
    test.composer.state.count = 3
    test.receiveChange("state") { $0.count = 3 }
    test.composer.state.count = 4
    fails("1 action was not received before finish():\n    state (step 2, at 0 s") { test.finish() }
  }

  @Test func `the first state finds the dependencies of the test`() {
    let test = TestComposer(
      ClosureComposer { _, _, _ in .none },
      state: ClosureComposer.State(log: ["\(Dependencies.current.uuid() == .counted(1))"]))
    #expect(test.state.log == ["true"])
    test.finish()
  }
}

/// Delays actions from outside.
private final class Delayed: Composer {
  enum Action { case up }
  struct State { var count = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func transform(action: Observable<Action>) -> Observable<Action> {
    action.delay(.seconds(1), scheduler: EffectContext.clock)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.count += 1
    return .none
  }
}

/// Polls while it is alive.
private final class Polling: Composer {
  enum Action { case poll }
  struct State { var polls = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: "poll") { .interval(.send(.poll), period: .seconds(1)) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.polls += 1
    return .none
  }
}
