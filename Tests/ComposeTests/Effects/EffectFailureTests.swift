import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("EffectFailureHandling", .workerPool)
struct EffectFailureTests {
  @Test func `a failure becomes an action`() {
    let screen = Screen(
      ClosureComposer(onFailure: { .send(.present("\($0.error) from \($0.action!)")) }) {
        switch $2 {
        case .go: return .run(.error(Failure()))
        case .present(let text): $1.log.append(text)
        default: break
        }
        return .none
      }
    )
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["Failure() from go"])
  }

  @Test func `the effect that a failure returns runs, can be cancelled, and can fail too`() {
    let time = VirtualTime()
    let screen = time.run {
      Screen(
        ClosureComposer(onFailure: {
          $0.error is Failure
            ? .concatenate(
              .interval(.send(.tick), period: .seconds(1)).take(2),
              .run(.error(CancellationError())))
            : .none
        }) {
          switch $2 {
          case .go: return .run(.error(Failure()))
          case .stop: return .cancel(&$0.disposeBag)
          case .tick: $1.count += 1
          default: break
          }
          return .none
        }
      )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(5))
    #expect(screen.composer.state.count == 2)
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(5))
    #expect(screen.composer.state.count == 2)
  }

  @Test func `a failure of the effect that a failure returns has the same source`() {
    struct Second: Error {}
    let screen = Screen(
      ClosureComposer(onFailure: { $0.error is Failure ? .run(.error(Second())) : .none }) {
        _, _, _ in .run(.error(Failure()))
      }
    )
    screen.composer.action.accept(.go)
    #expect(screen.composer.failures == ["Failure() from go", "Second() from go"])
  }

  @Test func `the trace names the failure that started an effect`() {
    let screen = Screen(
      ClosureComposer(onFailure: { _ in .run(.never()) }) { _, _, _ in .run(.error(Failure())) }
    )
    let lines = EventRecorder<String>()
    let subscription = screen.composer.trace.subscribe(onNext: { lines.append("\($0)") })
    screen.composer.action.accept(.go)
    #expect(
      lines.events.dropFirst() == [
        "effect 1 started by step(1)", "effect 1 ended: failed(\"Failure()\")",
        "effect 2 started by failure(effect: 1)",
      ])
    subscription.dispose()
  }

  @Test func `an error of a child's state effect is reported with the id that the child declared`()
  {
    final class Poller: Composer {
      struct State {}
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()

      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }

      func stateEffects(_ state: State) -> [StateEffect<Int>] {
        StateEffect(id: "poll") { .run(.error(Failure())) }
      }
    }
    final class Owner: Composer {
      struct State { var poller = Poller.State() }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let poller = Child(\State.poller, { (action: Int) in action }) { Poller() }

      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
    }
    let problems = EventRecorder<String>()
    let context = EffectContext(
      VirtualTime().context.dependencies, nil, onProblem: { problems.append("\($0)") })
    _ = context.run { Screen(Owner()) }
    #expect(problems.count == 1)
    #expect(problems.events.first?.hasPrefix("The state effect poll of Owner failed") == true)
  }

  // MARK: Failures after the failure of a child

  final class Kid: Composer {
    enum Action: Equatable { case start }
    struct State: Equatable {}
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      Observable<Int>.timer(.seconds(1), scheduler: EffectContext.clock).flatMap { _ in
        Observable<Effect<Action>>.error(Named("kid"))
      }
    }
  }

  struct Named: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  final class Parent: Composer, EffectFailureHandling {
    enum Action: Equatable { case open, kid(Kid.Action), kidFailed, noted(String) }
    struct State: Equatable {
      var kid: Kid.State?
      var notes: [String] = []
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let kid = Child(\State.kid, Action.kid) { Kid() }
    private let cleanUp: @Sendable () -> Observable<Effect<Action>>

    init(cleanUp: @escaping @Sendable () -> Observable<Effect<Action>>) { self.cleanUp = cleanUp }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open:
        state.kid = Kid.State()
        return kid.reduce(&state, .start)
      case .kid(let action): return kid.reduce(&state, action)
      case .kidFailed:
        state.kid = nil
        return cleanUp()
      case .noted(let note): state.notes.append(note)
      }
      return .none
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      "\(failure.error)" == "kid" ? .send(.kidFailed) : .send(.noted("\(failure.error)"))
    }
  }

  @Test func `an effect that fails in answer to the failure of a child is handled`() {
    let time = VirtualTime()
    let parent = Composed(
      sending: Parent { .run(Observable<Parent.Action>.error(Named("cleanup"))) },
      on: .virtual(time))
    parent.send(.open)
    time.advance(by: .seconds(1))
    #expect(parent.state == Parent.State(notes: ["cleanup"]))
  }

  @Test func `another composer whose effect fails in answer to the failure of a child is asked`() {
    let time = VirtualTime()
    let other = Composed(
      sending: Parent { .run(Observable<Parent.Action>.error(Named("other"))) }, on: .virtual(time))
    let parent = Composed(
      sending: Parent { [actions = other.actions] in
        .create { _ in
          actions.accept(.kidFailed)
          return Disposables.create()
        }
      }, on: .virtual(time))
    parent.send(.open)
    time.advance(by: .seconds(1))
    #expect(other.state.notes == ["other"])
  }
}
