import Compose
import ReactiveTesting
import Testing

@MainActor
@Suite("An effect's value")
struct EffectTests {
  let time = VirtualTime()

  @Test func `a group is one step, reduced in order and published once`() {
    let screen = Screen(
      Probe { _, state, action in
        state.log.append("\(action)")
        switch action {
        case .go: return .group(.tick, .number(1), .stop)
        case .number: return .send(.other)
        default: return .none
        }
      }
    )
    let published = Notes<Int>()
    let heard = Notes<Probe.Action>()
    let bag = DisposeBag()
    screen.composer.$state.states.skip(1)
      .subscribe(onNext: { published.add($0.log.count) })
      .disposed(by: bag)
    screen.composer.action.subscribe(onNext: { heard.add($0) }).disposed(by: bag)
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["go", "tick", "number(1)", "stop", "other"])
    #expect(published.all == [1, 4, 5])
    #expect(heard.all == [.go, .tick, .number(1), .stop, .other])
  }

  @Test func `an empty group is no step`() {
    let screen = Screen(
      Probe { _, state, _ in
        state.count += 1
        return .group([])
      }
    )
    let published = Notes<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: { published.add($0.count) })
    screen.composer.action.accept(.go)
    #expect(published.all == [0, 1])
    subscription.dispose()
  }

  @Test func `an async effect sends groups too`() {
    let screen = time.run {
      Screen(
        Probe { _, state, action in
          state.log.append("\(action)")
          return action == .go ? .run { $0.onNext(.group([.tick, .stop])) } : .none
        }
      )
    }
    let published = Notes<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.add($0.log.count)
    })
    screen.composer.action.accept(.go)
    time.settle()
    #expect(published.all == [0, 1, 3])
    subscription.dispose()
  }

  @Test func `maps its actions`() {
    func numbers(_ effect: Effect<Int>) -> String { "\(effect.map { "\($0 * 2)" })" }
    #expect(numbers(.send(1)) == #"send("2")"#)
    #expect(numbers(.group([1, 2])) == #"group(["2", "4"])"#)
    #expect(numbers(.none) == "none")
    #expect(Effect.send(1).action == 1)
    #expect(Effect.group([1]).action == nil)
  }
}
