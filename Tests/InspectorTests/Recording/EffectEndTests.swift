import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("Ends of effects", .workerPool)
struct EffectEndTests {
  private let sample = InspectedSample()

  private var ends: [String] {
    // Effects that cancel others have no kind and no id.
    sample.rows.filter { $0.kind == "ended" && ($0.id ?? $0.effectKind) != nil }.map { row in
      "\(row.id ?? row.effectKind ?? "") \(row.outcome ?? "")"
        + (row.by.map { " by step \($0.step ?? 0)" } ?? "")
    }
  }

  private func send(_ actions: Ending.Action...) {
    let composed = Composed(sending: Ending(), on: .virtual(sample.time))
    sample.add(composed)
    for action in actions { composed.send(action) }
    sample.time.advance(by: .seconds(3))
    withExtendedLifetime(composed) {}
  }

  @Test func `an effect that its own element cancels was cancelled by the step of the element`() {
    send(.listen)
    #expect(ends == ["listen cancelled by step 2"])
    let ended = sample.rows.first { $0.kind == "ended" && $0.id == "listen" }?.event ?? 0
    let head = sample.log.event(ended)?.head
    let cause = head.flatMap { CauseFinder(log: sample.log).cause(of: $0) }
    #expect(cause.flatMap { sample.log.event($0)?.head.step } == 2)
  }

  @Test func `an effect of one action that the step of its action ends has completed`() {
    send(.wait)
    #expect(ends == ["delay completed"])
  }

  @Test func `an effect that another step cancels or replaces was cancelled by that step`() {
    send(.run, .run, .wait, .stop)
    #expect(
      Set(ends) == [
        "run cancelled by step 2", "run cancelled by step 4", "delay cancelled by step 4",
      ])
  }

  @Test func `an effect that no step cancels has no step`() {
    let bag = DisposeBag()
    let composed = Composed(sending: Ending(bag), on: .virtual(sample.time))
    sample.add(composed)
    composed.send(.run)
    sample.time.settle()
    bag.dispose()
    #expect(ends == ["run cancelled"])
  }

  private final class Ending: Composer {
    enum Action { case listen, heard, wait, waited, run, stop }
    struct State { var isWaiting = false }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag: DisposeBag
    init(_ bag: DisposeBag = DisposeBag()) { disposeBag = bag }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .listen: return .concatenate(.send(.heard), .never()).cancellable(id: "listen")
      case .heard: return .cancel(id: "listen")
      case .wait: state.isWaiting = true
      case .waited: state.isWaiting = false
      case .run: return Observable.never().cancellable(id: "run", whenBusy: .replace)
      case .stop:
        state.isWaiting = false
        return .cancel(&disposeBag)
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if state.isWaiting { StateEffect(id: "wait") { .send(.waited, after: .seconds(2)) } }
    }
  }
}
