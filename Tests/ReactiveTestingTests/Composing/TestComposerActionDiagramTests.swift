import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestComposerActionDiagramTests {
  private func test(
    _ effect: @escaping @autoclosure () -> Observable<Effect<ClosureComposer.Action>>
  )
    -> TestComposer<ClosureComposer>
  {
    let test = TestComposer(ClosureComposer { _, _, action in action == .go ? effect() : .none })
    test.send(.go) { $0.count = 1 }
    return test
  }

  private var effect: Observable<Effect<ClosureComposer.Action>> {
    .run { effect in
      try await EffectContext.sleep(.seconds(1))
      effect.onNext(.send(.number(1)))
      try await EffectContext.sleep(.seconds(2))
      effect.onNext(.group([.number(2), .number(3)]))
      try await EffectContext.sleep(.seconds(2))
    }
  }

  private let numbers: [Character: ClosureComposer.Action] = [
    "a": .number(1), "b": .number(2), "c": .number(3),
  ]

  @Test func `an action diagram has actions at their times and the end when no effect runs`() {
    let test = test(effect)
    test.expect("-a-(bc)-|", numbers) { $0.count = 4 }
    test.finish()
  }

  @Test func `an action diagram without an end ignores running effects`() {
    let test = test(effect)
    test.expect("-a-[bc]", numbers) { $0.count = 4 }
    test.expect("-", numbers)
    test.expect("--|", numbers)
    test.finish()
  }

  @Test func `an action diagram starts with actions received before it`() {
    let test = test(.send(.tick))
    test.expect("(t|)", ["t": .tick]) { $0.count = 2 }
    test.finish()
  }

  @Test func `an action diagram accepts a duration for one character`() {
    let test = test(.interval(.send(.tick), period: .milliseconds(250)).take(2))
    test.expect("-t(t|)", ["t": .tick], every: .milliseconds(250)) { $0.count = 3 }
    test.finish()
  }

  @Test func `an action diagram failure shows the expected and the actual diagram`() {
    let test = test(effect)
    fails("\n    expected  -a-b-|\n    got       -a-(b?)-|\n    ? is number(3)", line: #line + 1) {
      test.expect("-a-b-|", ["a": .number(1), "b": .number(2)]) { $0.count = 4 }
    }
    test.finish()
  }

  @Test func `an action diagram failure shows an end at a different time`() {
    let test = test(effect)
    fails("expected  -a-(bc|)\n", "got       -a-(bc)") {
      test.expect("-a-(bc|)", numbers) { $0.count = 4 }
    }
    test.exhaustivity = .off
    test.finish()
  }

  @Test func `an action diagram fails for a character without an action`() {
    let test = test(.none)
    fails("z stands for no action") { test.expect("-z", [:]) }
    test.finish()
  }

  @Test func `an action diagram compares the final state`() {
    let test = test(effect)
    fails("The state after -a-(bc)-|", "count: expected 1, got 4") {
      test.expect("-a-(bc)-|", numbers)
    }
    test.finish()
  }

  @Test func `an action diagram without a step compares the state with that before it`() {
    let test = test(.none)
    fails("No step was received in ---", "count: expected 99, got 1", line: #line + 1) {
      test.expect("---", [:]) { $0.count = 99 }
    }
    test.expect("---", [:]) { $0.count = 1 }
    test.finish()
  }

  @Test(arguments: [Exhaustivity.on, .off])
  func `an action diagram fails for a step without an action, unless exhaustivity is off`(
    exhaustivity: Exhaustivity
  ) {
    let test = test(.concatenate(.send(.tick, after: .seconds(1)), .dismiss))
    test.exhaustivity = exhaustivity
    let expect = { test.expect("-(t|)", ["t": .tick]) { $0.count = 2 } }
    if exhaustivity == .off {
      expect()
    } else {
      fails("got       -(t|)\n    not drawn: dismiss (step 3, at 1 s, sent by effect 1", by: expect)
    }
    test.finish()
  }

  @Test(arguments: [
    ("-(a", 2, "a group without an end."), ("-a)", 3, "no group ends like this here."),
    ("((a))", 2, "a group within a group."), ("(a]", 3, "no group ends like this here."),
  ])
  func `an action diagram with a malformed group fails with its position`(
    diagram: String, position: Int, reason: String
  ) {
    let test = test(.send(.tick, after: .seconds(1)))
    fails("The diagram \"\(diagram)\" at character \(position): \(reason)") {
      test.expect(diagram, ["a": .tick])
    }
    test.expect("-(a|)", ["a": .tick]) { $0.count = 2 }
    test.finish()
  }

  @Test func `an action diagram without exhaustivity omits actions that it does not name`() {
    let test = test(effect)
    test.exhaustivity = .off
    test.expect("---b", ["b": .number(2)])
    test.finish()
  }
}
