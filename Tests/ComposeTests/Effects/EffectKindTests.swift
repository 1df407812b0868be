import Compose
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("EffectKind", .workerPool)
struct EffectKindTests {
  private typealias Step = Observable<Effect<Int>>

  private let run = Step.run { 1 }
  private let tick = Step.timer(.send(1), period: .seconds(1))

  @Test func `an effect knows its kind`() {
    #expect(run.effectKind == .run)
    #expect(Step.run(Observable.of(1, 2)).effectKind == .run)
    #expect(Step.run(Observable.of(1), catch: { _ in .none }).effectKind == .run)
    #expect(Step.run(Single.just(1)).effectKind == .run)
    #expect(Step.fireAndForget {}.effectKind == .run)
    #expect(Step.send(1, after: .seconds(1)).effectKind == .delay)
    #expect(tick.effectKind == .timer)
    #expect(Step.interval(.send(1), period: .seconds(1)).effectKind == .interval)
    #expect(Step.poll(.send(1), every: .seconds(1)).effectKind == .poll)
    #expect(Step.race(run, tick).effectKind == .race)
  }

  @Test func `an effect that is named, delayed or tried again keeps its kind`() {
    #expect(tick.cancellable(id: 1).effectKind == .timer)
    #expect(tick.cancellable(id: 1).label == AnyHashable(1))
    #expect(run.latest(id: 1).effectKind == .run)
    #expect(run.debounce(id: 1, for: .seconds(1)).effectKind == .run)
    #expect(run.throttle(id: 1, for: .seconds(1)).effectKind == .run)
    #expect(run.cancellable(DisposeBag()).effectKind == .run)
    #expect(run.retry(.fixed(.seconds(1), maxAttempts: 2)).effectKind == .run)
    #expect(run.map { (number: Int) in "\(number)" }.effectKind == .run)
  }

  @Test func `the kind is not known behind another operator, and of several effects`() {
    #expect(run.take(1).effectKind == nil)
    #expect(Step.merge(run, tick).effectKind == nil)
    #expect(Step.send(1).effectKind == nil)
    #expect(Step.none.effectKind == nil)
  }

  @Test func `a tool receives the kind of each effect that starts, also of a child and a state`() {
    let time = VirtualTime()
    let tool = KindRecorder()
    let parent = Composed(sending: Parent(), on: .virtual(time))
    TracedStore<Parent.State, Parent.Action>.of(parent.actions)?.observe(tool)
    parent.send(.start)
    parent.send(.child(.start))
    time.settle()
    #expect(tool.kinds.count == 3)
    #expect(Set(tool.kinds) == [.interval, .run, .timer])
  }

  private final class Parent: Composer {
    enum Action { case start, tick, child(Inner.Action) }
    struct State {
      var isRunning = false
      var child = Inner.State()
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let child = Child(\State.child, Action.child) { Inner() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start:
        state.isRunning = true
        return .interval(.send(.tick), period: .seconds(1))
      case .tick: return .none
      case .child(let action): return child.reduce(&state, action)
      }
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if state.isRunning { StateEffect(id: "run") { .run(.never()) } }
    }
  }

  private final class Inner: Composer {
    enum Action { case start, tick }
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start: .timer(.send(.tick), period: .seconds(1)).cancellable(id: "tick")
      case .tick: .none
      }
    }
  }
}

/// Records the kinds of the effects that start, as a tool.
private final class KindRecorder: StoreObserver {
  private let recorded = Locked<[EffectKind?]>([])
  var kinds: [EffectKind?] { recorded.withLock { $0 } }

  func stepped(_ step: RecordedStep) {}

  func effectStarted(_ number: Int, _ origin: EffectOrigin, id: String?, _ kind: EffectKind?) {
    recorded.withLock { $0.append(kind) }
  }

  func effectEnded(_ number: Int, _ outcome: EffectOutcome, in step: Int?) {}
}
