import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("CauseFinder", .workerPool)
struct CauseFinderTests {
  private func causes(of event: Int, _ sample: InspectedSample) -> [String] {
    guard let head = sample.log.event(event)?.head else { return [] }
    return CauseFinder(log: sample.log).causes(of: head)
      .compactMap { sample.log.event($0) }.map { sample.program.reader.row(of: $0).shortText }
  }

  private func effects(of event: Int, _ sample: InspectedSample) -> [String] {
    guard let head = sample.log.event(event)?.head else { return [] }
    return CauseFinder(log: sample.log).effects(of: head).events.compactMap { caused in
      sample.log.event(caused.number)
        .map { "\(caused.cause): " + sample.program.reader.row(of: $0).shortText }
    }
  }

  @Test func `an action is followed back to the one from outside`() {
    let sample = InspectedSample()
    sample.send(.poll)
    sample.time.advance(by: .seconds(5))
    #expect(
      causes(of: sample.event(ofStep: 3), sample) == [
        "step 2 effect 1: ticked", "started 1 step -", "step 1 outside: poll",
      ])
    #expect(causes(of: sample.event(ofStep: 1), sample).isEmpty)
  }

  @Test func `what an action has caused is found, with the direct causes`() {
    let sample = InspectedSample()
    sample.send(.add(1), .poll, .add(2))
    sample.time.advance(by: .seconds(5))
    #expect(
      effects(of: sample.event(ofStep: 2), sample) == [
        "2: started 1 step -", "3: step 4 effect 1: ticked",
        "5: step 5 step 4: add(10)", "3: ended 1 completed",
      ])
    #expect(effects(of: sample.event(ofStep: 3), sample).isEmpty)
  }

  @Test func `a state effect is caused by the step that has made its state`() {
    let sample = InspectedSample()
    sample.send(.add(1), .watch(true))
    let started = sample.rows.first { $0.kind == "started" }?.event ?? 0
    #expect(causes(of: started, sample) == ["step 2 outside: watch(true)"])
    #expect(
      effects(of: sample.event(ofStep: 2), sample) == ["2: started 1 stateEffect -"])
    #expect(effects(of: sample.event(ofStep: 1), sample).isEmpty)
  }

  @Test func `a step of a shared value and the one that has written it know each other`() {
    let sample = InspectedSample()
    let total = SharedValue(0)
    let writer = Composed(sending: Summing(total), on: .virtual(sample.time))
    let reader = Composed(sending: Summing(total), on: .virtual(sample.time))
    for composed in [writer, reader] { sample.add(composed) }
    sample.time.settle()
    writer.send(5)
    sample.time.settle()
    let steps = sample.rows.filter { $0.kind == "step" }
    #expect(steps.map(\.composer) == [2, 3])
    let (written, seen) = (steps.first?.event ?? 0, steps.last?.event ?? 0)
    #expect(causes(of: seen, sample) == ["step 1 outside: 5"])
    #expect(effects(of: written, sample).count == 1)
    #expect(effects(of: written, sample).first?.hasPrefix("\(written): step 1 shared") == true)
  }

  @Test func `causes that are dropped end the chain`() {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    sample.send(.poll)
    for number in 1...1_000 { sample.send(.add(number)) }
    sample.time.advance(by: .seconds(5))
    let last = sample.event(ofStep: 1_003)
    #expect(causes(of: last, sample) == ["step 1002 effect 1: ticked"])
  }

  @Test func `effects of one event are limited`() throws {
    let sample = InspectedSample()
    let composed = Composed(sending: Endless(), on: .virtual(sample.time))
    sample.add(composed)
    composed.send(500)
    sample.time.settle()
    let head = try #require(sample.log.event(1)?.head)
    let found = CauseFinder(log: sample.log).effects(of: head)
    #expect(found.events.count == 200)
    #expect(found.isCut)
  }

  private final class Summing: Composer {
    typealias Action = Int
    struct State { @Shared var total = 0 }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>

    init(_ total: SharedValue<Int>) { sharing = Sharing(\.$total, total) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      state.total += action
      return .none
    }
  }

  private final class Endless: Composer {
    typealias Action = Int
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      action == 0 ? .none : .send(action - 1)
    }
  }
}
