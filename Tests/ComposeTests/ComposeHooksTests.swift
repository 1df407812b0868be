import Compose
import ReactiveTesting
import Testing

@MainActor
@Suite("Compose's hooks", .serialized)
struct ComposeHooksTests {
  func problems(_ body: () -> Void) -> [String] {
    let notes = Notes<String>()
    let before = ComposeHooks.onProblem
    ComposeHooks.onProblem = { notes.add("\($0)") }
    body()
    ComposeHooks.onProblem = before
    return notes.all
  }

  @Test func `hear once of a composer that nobody bound`() {
    let probe = HooksProbe { _, _ in .none }
    let all = problems {
      _ = probe.state
      _ = probe.$state
      _ = probe.state
    }.filter { $0.contains("not bound") }
    #expect(all.count == 1)
  }

  @Test func `hear nothing of one that is bound`() {
    let probe = HooksProbe { _, _ in .none }
    let all = problems { _ = Screen(probe).composer.state }.filter { $0.contains("Hooks") }
    #expect(all.isEmpty)
  }

  @Test func `hear of a write to self.state inside the reducer, which the inout state wins over`() {
    let probe = HooksProbe { probe, state in
      probe.state.count = 50
      state.count += 1
      return .none
    }
    let screen = Screen(probe)
    let all = problems { screen.composer.action.accept(.go) }.filter { $0.contains("inside") }
    #expect(all.count == 1)
    #expect(screen.composer.state.count == 1)
  }

  @Test func `hear of what is sent after a run has returned`() {
    let time = VirtualTime()
    let kept = Notes<AnyObserver<Effect<HooksProbe.Action>>>()
    let screen = time.run { Screen(HooksProbe { _, _ in .run { kept.add($0) } }) }
    screen.composer.action.accept(.go)
    time.settle()
    let all = problems { kept.all[0].onNext(.send(.go)) }.filter { $0.contains("had returned") }
    #expect(all.count == 1)
  }

  @Test func `hear of an error that a run throws after its own end`() {
    let time = VirtualTime()
    let screen = time.run {
      Screen(
        HooksProbe { _, _ in
          .run { effect in
            effect.onCompleted()
            throw Failure()
          } catch: { _ in
            .none
          }
        }
      )
    }
    let all = problems {
      screen.composer.action.accept(.go)
      time.settle()
    }.filter { $0.contains("Failure()") }
    #expect(all.count == 1)
  }

  @Test func `hear of an effect's error that the composer leaves to them`() {
    let screen = Screen(HooksProbe { _, _ in .error(Failure()) })
    let all = problems { screen.composer.action.accept(.go) }.filter { $0.contains("Failure()") }
    #expect(
      all == [
        "An effect of HooksProbe for go failed with Failure(). "
          + "Give .run a catch, or implement effectFailed(_:from:)."
      ]
    )
  }

  final class HooksProbe: Composer {
    enum Action { case go }
    struct State { var count = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let body: (HooksProbe, inout State) -> Observable<Effect<Action>>

    init(_ body: @escaping (HooksProbe, inout State) -> Observable<Effect<Action>>) {
      self.body = body
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      body(self, &state)
    }
  }
}
