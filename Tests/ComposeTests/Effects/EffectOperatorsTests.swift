import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Operators of effects", .workerPool)
struct EffectOperatorsTests {
  typealias Work = Observable<Effect<ClosureComposer.Action>>

  /// The actions that a composer receives from `effect` within a minute.
  func log(_ effect: @escaping () -> Work) -> [String] {
    let time = VirtualTime()
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          if action == .go { return effect() }
          state.log.append("\(action)")
          return .none
        })
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(60))
    return screen.composer.state.log
  }

  @Test func `effects in an array are merged, concatenated and raced`() {
    func numbers() -> [Work] { (1...3).map { .send(.number($0), after: .seconds(4 - $0)) } }
    #expect(log { .merge(numbers()) } == ["number(3)", "number(2)", "number(1)"])
    #expect(log { .concatenate(numbers()) } == ["number(1)", "number(2)", "number(3)"])
    #expect(log { .race(numbers()) } == ["number(3)"])
    #expect(log { .concatenate([.send(.tick), .send(.other)]) } == ["tick", "other"])
    #expect(log { .race([.send(.tick), .send(.other)]) } == ["tick"])
    #expect(log { .concatenate(.concatenate([]), .race([]), .send(.tick)) } == ["tick"])
  }

  @Test func `an effect is mapped to another action type by a case`() {
    let part: Observable<Effect<Int>> = .concatenate(
      .send(1), .group(2, 3), .decide { (state: ClosureComposer.State) in [state.log.count + 1] })
    let all = (1...4).map { "number(\($0))" }
    #expect(log { part.map(ClosureComposer.Action.number) } == all)
    #expect(log { part.map { number in .number(number) } } == all)
  }

  @Test func `a closure that receives effects is the map of observables`() {
    let part: Observable<Effect<Int>> = .concatenate(.send(1), .none, .send(2))
    #expect(part.map { $0.action ?? 0 }.recorded() == "1 2 |")
    #expect(part.map(\.action).map { $0 ?? 0 }.recorded() == "1 2 |")
    let all = ["number(1)", "number(2)"]
    #expect(log { part.map { $0.map(ClosureComposer.Action.number) } } == all)
    let same = part.map { effect in
      let copy = effect
      return copy
    }
    #expect(same.compactMap(\.action).recorded() == "1 2 |")
  }
}
