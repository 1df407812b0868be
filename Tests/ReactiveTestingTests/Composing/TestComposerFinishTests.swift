import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct TestComposerFinishTests {
  private func test(
    _ effect: @escaping @autoclosure () -> Observable<Effect<ClosureComposer.Action>>
  )
    -> TestComposer<ClosureComposer>
  {
    let test = TestComposer(ClosureComposer { _, _, action in action == .go ? effect() : .none })
    test.advance(by: .milliseconds(1_500))
    test.send(.go) { $0.count = 1 }
    return test
  }

  @Test func `finish names running effects with their cause and start time`() {
    let test = test(.merge(.interval(.none, period: .seconds(60)), .none))
    test.send(.stop) { $0.count = 2 }
    test.advance(by: .seconds(100))
    #expect(
      test.running.map(\.description) == ["effect 1 of go (step 1), running since 1.5 s"])
    fails(
      "1 effect still runs at finish():\n    effect 1 of go (step 1), running since 1.5 s",
      line: #line + 1
    ) { test.finish() }
  }

  @Test func `finish names effects of a group with its actions`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in
        switch action {
        case .go: .group(.tick, .number(1))
        case .tick: .interval(.none, period: .seconds(1))
        default: .none
        }
      })
    test.send(.go) { $0.count = 1 }
    test.receive(group: .tick, .number(1)) { $0.count = 3 }
    fails("effect 1 of group(tick, number(1)) (step 2)") { test.finish() }
  }

  @Test func `finish does not report a cancelled effect`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in
        action == .go
          ? .run { _ in try await EffectContext.sleep(.seconds(60)) }.cancellable(id: 1)
          : .cancel(id: 1)
      })
    test.send(.go) { $0.count = 1 }
    test.send(.stop) { $0.count = 2 }
    test.finish()
  }

  @Test func `finish reports a detached task as outside virtual time`() {
    let gate = DispatchSemaphore(value: 0)
    let test = test(.run { _ in await Task.detached { waitForReal(gate) }.value })
    fails("effect 1 of go", "wait for something outside of virtual time") { test.finish() }
    gate.signal()
  }

  @Test func `finish reports a hop to the main actor as outside virtual time`() async {
    await MainActor.run {
      let test = test(.run { _ in await onMain() })
      fails("effect 1 of go", "the main actor", "outside of virtual time") { test.finish() }
    }
  }

  @Test func `finish reports a dispatch queue as outside virtual time`() {
    let queue = DispatchQueue(label: "outside")
    queue.suspend()
    let test = test(
      .run { effect in
        await withCheckedContinuation { go in queue.async { go.resume() } }
        effect.onNext(.send(.tick))
      })
    fails("a dispatch queue", "outside of virtual time") { test.finish() }
    queue.resume()
  }

  @Test func `finish does not report virtual timers as outside virtual time`() {
    let test = test(.run { _ in try await EffectContext.sleep(.seconds(60)) })
    withKnownIssue {
      test.finish()
    } matching: {
      !$0.comments.map(\.rawValue).joined().contains("outside")
    }
  }

  @Test func `finish reports a task that yields forever and does not hang`() {
    let test = test(.run { _ in while !Task.isCancelled { await Task.yield() } })
    fails("effect 1 of go", "Task.yield()") { test.finish() }
  }

  @Test func `a test composer reduces actions of other threads on the test's thread`() {
    let test = test(.none)
    let relay = test.composer.action
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      relay.accept(.number(1))
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(test.state.count == 1)
    test.receive(.number(1)) { $0.count = 2 }
    test.finish()
  }

  @Test func `finish reports a composer that retains itself`() {
    let test = TestComposer(
      {
        let cycle = Cycle()
        cycle.itself = cycle
        return cycle
      }())
    weak let cycle = test.composer
    fails("Cycle is still alive after finish()", line: #line) { test.finish() }
    cycle?.itself = nil
  }

  @Test func `finish reports a composer that the test retains`() {
    let probe = ClosureComposer { _, _, _ in .none }
    let test = TestComposer(probe)
    fails("ClosureComposer is still alive after finish()", "Create it in the call") {
      test.finish()
    }
  }

  @Test func `a test composer released without finish reports its place of creation`() {
    fails("The test of ClosureComposer has ended without finish().", line: #line + 1) {
      _ = TestComposer(ClosureComposer { _, _, _ in .none })
    }
  }

  @Test func `finish without exhaustivity requires only the composer's release`() {
    let test = test(.interval(.send(.tick), period: .seconds(1)))
    test.exhaustivity = .off
    test.advance(by: .seconds(5))
    test.finish()
    _ = TestComposer(ClosureComposer { _, _, _ in .none }, exhaustivity: .off)
    let probe = ClosureComposer { _, _, _ in .none }
    let other = TestComposer(probe, exhaustivity: .off)
    fails("still alive") { other.finish() }
  }

  @Test func `send after finish fails the test`() {
    let test = test(.none)
    test.finish()
    fails("send(go) after finish()") { test.send(.go) }
  }
}

private final class Cycle: Composer {
  enum Action { case go }
  struct State {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  var itself: Cycle?

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
}

@MainActor private func onMain() {}

private func waitForReal(_ gate: DispatchSemaphore) { gate.wait() }
