import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("The default list of state effects", .workerPool)
struct DefaultStateEffectsTests {
  /// Has the state effects of two others, the first of which has the default.
  final class Forwarding: Composer {
    @ComposableState var state = 0
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()
    private let plain = Plain()

    func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
      state += action
      return .none
    }

    func stateEffects(_ state: Int) -> [StateEffect<Int>] {
      plain.stateEffects(state)
        + [
          StateEffect(id: state > 0) {
            state > 0 ? .timer(.send(10), dueTime: .seconds(1), period: .seconds(60)) : .none
          }
        ]
    }
  }

  final class Plain: Composer {
    @ComposableState var state = 0
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> { .none }
  }

  @Test func `a list that another composer's default is a part of is asked for after every step`() {
    let time = VirtualTime()
    let screen = time.run { Screen(Forwarding()) }
    screen.composer.action.accept(1)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state == 11)
  }

  @Test func `the default is an empty list`() {
    let effects: [StateEffect<Int>] = Plain().stateEffects(0)
    #expect(effects.isEmpty)
  }
}
