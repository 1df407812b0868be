import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose
@testable import Inspector

@Suite("EventLog", .workerPool)
struct EventLogTests {
  @Test func `steps and effects of a composer are events in their order`() {
    let sample = InspectedSample()
    sample.send(.add(1), .poll)
    sample.time.advance(by: .seconds(5))
    #expect(
      sample.texts == [
        "step 1 outside: add(1)", "step 2 outside: poll", "started 1 step -",
        "step 3 effect 1: ticked", "step 4 step 3: add(10)", "ended 1 completed",
      ])
    #expect(sample.rows[0].changes == ["count: 0 → 1"])
    #expect(sample.rows[1].changes == [])
  }

  @Test func `events of several composers are in one order`() {
    let sample = InspectedSample()
    let other = Composed(sending: Sample(), on: .virtual(sample.time))
    sample.add(other)
    sample.send(.add(1))
    other.send(.add(2))
    sample.time.settle()
    sample.send(.add(3))
    #expect(sample.rows.map(\.composer) == [1, 2, 1])
    #expect(sample.rows.map(\.event) == [1, 2, 3])
    #expect(sample.rows.map(\.step) == [1, 1, 2])
  }

  @Test func `a composer that is added twice is recorded once`() {
    let sample = InspectedSample()
    sample.add(sample.composed)
    sample.send(.add(1))
    #expect(sample.texts.count == 1)
    #expect(sample.log.composers.count == 1)
  }

  @Test func `each composer that is bound is recorded from its first effect on`() throws {
    let program = InspectedProgram(InspectorConfiguration())
    let observation = StoreBindings.observe(program)
    let composed = Composed(sending: Watching())
    observation.dispose()
    let unobserved = Composed(sending: Watching())
    let record = try #require(program.log.composers.first { $0.typeName == "Watching" })
    #expect(
      program.log.withLock { _ in record.ledger.running.values.map(\.origin) } == [
        .stateEffect("watch")
      ]
    )
    #expect(program.log.composers.count { $0.typeName == "Watching" } == 1)
    withExtendedLifetime((composed, unobserved)) {}
  }

  private final class Watching: Composer {
    enum Action { case none }
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      StateEffect(id: "watch") { .never() }
    }
  }

  @Test func `the oldest events are dropped past the limit of bytes`() {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    for number in 1...1_000 { sample.send(.add(number)) }
    let events = sample.log.events
    #expect(events.upperBound == 1_001)
    #expect(events.count > 50 && events.count < 900)
    #expect(sample.log.heldBytes <= 64_000)
    #expect(sample.log.event(1) == nil)
    #expect(sample.rows.last?.text == "add(1000)")
    #expect(sample.rows.first?.changes?.count == 1, "The state before the first event is kept.")
  }

  @Test func `large states are counted, and parts that steps share are not`() {
    let rows = (0..<1_000).map { Sample.Row(id: $0, title: String(repeating: "x", count: 1_000)) }
    let sample = InspectedSample { $0.byteLimit = 8 << 20 }
    sample.send(.loaded(rows))
    for _ in 1...2_000 { sample.send(.add(1)) }
    #expect(sample.log.events.count == 2_001)
    #expect(sample.log.heldBytes > 1_000_000 && sample.log.heldBytes < 4_000_000)
    let growing = InspectedSample { $0.byteLimit = 8 << 20 }
    for number in 1...100 {
      growing.send(.loaded(rows.map { Sample.Row(id: $0.id + number, title: $0.title + "!") }))
    }
    #expect(growing.log.events.count < 20)
  }

  @Test func `dropped events release what they refer to`() {
    final class Token: Sendable {}
    let sample = InspectedSample()
    weak let released: Token?
    do {
      let token = Token()
      released = token
      let holding = Composed(sending: Holding<Token>(), on: .virtual(sample.time))
      sample.add(holding)
      holding.send(token)
      sample.time.settle()
      holding.send(Token())
      sample.time.settle()
      #expect(released != nil)
    }
    #expect(sample.log.events.count == 2)
    // The first event goes with its state, which is then that before the second one; its successor
    // refers to the token no more.
    sample.log.drop(to: 0)
    sample.send(.add(1))
    sample.log.drop(to: 0)
    #expect(released == nil)
  }

  @Test func `a released composer is not live, and its events remain`() {
    let sample = InspectedSample()
    var other: Composed<Sample.State, Sample.Action>? = Composed(
      sending: Sample(), on: .virtual(sample.time))
    if let other { sample.add(other) }
    other?.send(.add(1))
    sample.time.settle()
    let record = sample.log.composers[1]
    #expect(record.isLive)
    other = nil
    #expect(!record.isLive)
    #expect(sample.texts == ["step 1 outside: add(1)"])
  }

  @Test func `composers that have ended are forgotten with their last events`() {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    for number in 1...2_000 {
      let short = Composed(sending: Sample())
      sample.add(short)
      if number.isMultiple(of: 2) { short.send(.add(1)) }
    }
    #expect(sample.log.composers.count < 700)
    #expect(sample.log.composers.first?.number == 1, "A composer that exists is kept.")
    #expect(sample.rows.allSatisfy { $0.composer.flatMap { sample.log.composer($0) } != nil })
  }

  @Test func `a source that has ended and was forgotten returns with its next event`() throws {
    let sample = InspectedSample()
    let record = try #require(sample.log.composers.first)
    record.end()
    for _ in 0..<300 {
      let ended = sample.log.add { number in
        ComposerRecord(
          TypesOfComposer<Int, Int>(nil), name: "", typeName: "", number: number, in: sample.log,
          at: .distantPast)
      }
      ended.end()
    }
    #expect(sample.log.composer(record.number) == nil)
    sample.send(.add(1))
    #expect(sample.log.composer(record.number) === record)
    #expect(sample.texts == ["step 1 outside: add(1)"])
  }

  @Test func `nothing is kept of a composer that is added after the end`() {
    let sample = InspectedSample()
    sample.program.stop()
    weak let released: ComposerRecord?
    do {
      let other = Composed(sending: Sample(), on: .virtual(sample.time))
      let store = TracedStore<Sample.State, Sample.Action>.of(other.actions)
      released = store.flatMap { sample.program.record(of: $0) }
      other.send(.add(1))
      sample.time.settle()
    }
    #expect(sample.log.sources.isEmpty)
    #expect(released == nil)
  }

  @Test func `forks end with the inspector`() throws {
    let sample = InspectedSample()
    sample.send(.watch(true))
    let record = try #require(sample.log.composers.first)
    let store = try #require(TracedStore<Sample.State, Sample.Action>.of(sample.composed.actions))
    sample.program.setForkMaker(ForkMaker({ Sample() }, { _ in }), of: store)
    let fork = sample.program.fork(record, at: 1)
    #expect(fork?.isLive == true)
    sample.program.stop()
    #expect(fork?.isLive == false)
  }

  @Test func `the first state is that of the begin of the recording`() {
    let sample = InspectedSample()
    let other = Composed(sending: Sample(), on: .virtual(sample.time))
    let store = TracedStore<Sample.State, Sample.Action>.of(other.actions)
    for _ in 1...3 { other.send(.add(1)) }
    let record = store.flatMap { sample.program.record(of: $0) }
    other.send(.add(1))
    sample.time.settle()
    #expect((record?.firstState as? Sample.State)?.count == 3)
    #expect(sample.rows.map(\.changes) == [["count: 3 → 4"]])
  }

  @Test func `a composer that waits has one read of its children in its mailbox`() async throws {
    let time = VirtualTime()
    let composed = Composed(sending: Sample(), on: .virtual(time))
    let store = try #require(TracedStore<Sample.State, Sample.Action>.of(composed.actions))
    let types = TypesOfComposer(store)
    // Another thread: the composer waits until the time advances.
    await Task.detached { for _ in 0..<100 { types.readChildren() } }.value
    #expect(store.pendingCount == 1)
    time.settle()
    #expect(store.pendingCount == 0)
    await Task.detached { types.readChildren() }.value
    #expect(store.pendingCount == 1)
  }

  @Test func `threads that record at the same time lose no event`() async {
    let program = InspectedProgram(InspectorConfiguration())
    let composers = (0..<8).map { _ in Composed(sending: Sample()) }
    for composed in composers {
      if let store = TracedStore<Sample.State, Sample.Action>.of(composed.actions) {
        program.storeBound(store)
      }
    }
    await withTaskGroup { group in
      for composed in composers {
        group.addTask { for _ in 0..<1_000 { composed.send(.add(1)) } }
      }
    }
    #expect(program.log.events == 1..<8_001)
    for record in program.log.composers {
      #expect(program.log.withLock { _ in record.stepCount } == 1_000)
      let state = program.log.withLock { $0.state(of: record, at: .max)?.state } as? Sample.State
      #expect(state?.count == 1_000)
    }
  }
}
