import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Timeline", .workerPool) struct TimelineTests {
  @Test func `the description of a timeline shortens long collections, and its JSON has all`()
    throws
  {
    let time = VirtualTime()
    let table = time.run { Composed(sending: Table()) }
    let recorder = TimelineRecorder(table.trace)
    table.send(.load((0..<10_000).map { Row(id: $0) }))
    table.send(.load([]))
    let expected = """
      0.000 step 1 by outside: load([Row(id: 0), Row(id: 1), Row(id: 2) and 9,997 more]) → \
      State(rows: [Row(id: 0), Row(id: 1), Row(id: 2) and 9,997 more], names: [0: ["a"]], \
      last: Optional(Row(id: 9999)), _chosen: nil, edges: (0, to: 9999), \
      kind: many(count: 10000), time: 1.0 seconds)
      0.000 step 2 by outside: load([]); \
      rows: [Row(id: 0), Row(id: 1), Row(id: 2) and 9,997 more] → []; \
      last: Optional(Row(id: 9999)) → nil; edges.to: 9999 → 0
      """
    #expect(recorder.timeline.description == expected)
    let state = Table.CodableState(numbers: Array(0..<1_000))
    let step = ComposerStep(number: 1, source: .outside, actions: [1], state: state)
    let entry = TraceEvent(time: Date(timeIntervalSince1970: 0), kind: .step(step))
    let file = try Timeline(entries: [entry]).jsonLines()
    #expect(file.contains("998,999]"))
  }

  @Test func `texts of long collections are shortened in every part of a value`() {
    let many = Array(0..<11)
    #expect(text(many) == "[0, 1, 2 and 8 more]")
    #expect(text(Array(0..<10)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]")
    #expect(text(["a": many]) == #"["a": [0, 1, 2 and 8 more]]"#)
    #expect(text(PresentState(wrappedValue: many)) == "[0, 1, 2 and 8 more]")
    #expect(text([many, []] as ScreenStack<[Int]>) == "[0: [0, 1, 2 and 8 more], 1: []]")
    #expect(text(Optional(many) as Any) == "Optional([0, 1, 2 and 8 more])")
    #expect(text(Table.Kind.listed(many)) == "listed([0, 1, 2 and 8 more])")
  }

  /// The text of a value in the trace of a composer.
  private func text(_ value: Any) -> String {
    let changed = changes(from: value, to: 0)[0]
    return String(changed.dropLast(" → 0".count))
  }

  private struct Row: Identifiable, Sendable { let id: Int }

  private final class Table: Composer {
    enum Action { case load([Row]) }
    enum Kind { case none, many(count: Int), listed([Int]) }
    struct CodableState: Codable { var numbers: [Int] }
    struct State {
      var rows: [Row] = []
      var names = [0: ["a"]]
      var last: Row?
      @PresentState var chosen: Row?
      var edges = (0, to: 0)
      var kind = Kind.many(count: 10_000)
      var time = Duration.seconds(1)
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      guard case .load(let rows) = action else { return .none }
      state.rows = rows
      state.last = rows.last
      state.edges.to = rows.last?.id ?? 0
      return .none
    }
  }

  @Test func `the description of a timeline has one line for each entry, with the changes`() {
    #expect(
      Room.timeline(.start, seconds: 3).description == """
        0.000 step 1 by outside: start → State(count: 0, name: nil, notes: [], _alert: nil)
        0.000 effect 1 (ticks) started by step(1)
        1.000 step 2 by effect(1): tick; count: 0 → 1
        2.000 step 3 by effect(1): tick; count: 1 → 2
        2.000 step 4 by step(3): done; alert: nil → Optional("done")
        2.000 effect 2 started by step(4)
        2.000 effect 1 ended: cancelled
        2.000 effect 2 ended: completed
        """)
  }

  @Test func `a trace event is described in one line, with the state`() {
    let room = Composed(sending: Room())
    let lines = EventRecorder<String>()
    let subscription = room.trace.subscribe(onNext: { lines.append("\($0)") })
    room.send(.load)
    room.send(.both)
    subscription.dispose()
    #expect(
      lines.events == [
        "step 1 by outside: load → State(count: 0, name: nil, notes: [], _alert: nil)",
        "effect 1 started by step(1)", "effect 1 ended: completed",
        "step 2 by effect(1): tick → State(count: 1, name: nil, notes: [], _alert: nil)",
        "step 3 by outside: both → State(count: 1, name: nil, notes: [], _alert: nil)",
        "step 4 by step(3): note(\"a\"), note(\"b\") → "
          + "State(count: 1, name: nil, notes: [\"a\", \"b\"], _alert: nil)",
      ])
  }

  // MARK: Ends of effects

  private func ends(_ timeline: Room.Recorded) -> [EffectOutcome] {
    timeline.entries.compactMap { if case .ended(_, let end) = $0.kind { end } else { nil } }
  }

  @Test func `completed and failed effects have different outcomes, once each`() {
    #expect(ends(Room.timeline(.load)) == [.completed])
    #expect(ends(Room.timeline(.fail)) == [.failed("Failure()")])
    #expect(ends(Room.timeline(.giveUp)) == [.cancelled])
  }

  @Test func `an effect that a bag, an id or the end cancels is cancelled`() {
    #expect(ends(Room.timeline(.start, .stop)) == [.cancelled, .completed])
    #expect(ends(Room.timeline(.start, .done)) == [.cancelled, .completed])
    #expect(ends(Room.timeline(.join("a"), .leave)) == [.cancelled])
    let recorder = VirtualTime().run {
      let room = Composed(sending: Room())
      let recorder = TimelineRecorder(room.trace)
      room.send(.start)
      return recorder
    }
    #expect(ends(recorder.timeline) == [.cancelled])
  }

  // MARK: Causes

  @Test func `causes lead from a step to the action from outside that started it`() {
    let timeline = Room.timeline(.join("a"), .start, seconds: 2)
    let done = timeline.steps.first { $0.actions == [.done] }
    let causes = timeline.causes(of: done?.number ?? 0)
    #expect(causes.map(\.actions) == [[.done], [.tick], [.start]])
    #expect(causes.last?.source == .outside)
  }

  @Test func `causes lead through a state effect`() {
    let timeline = Room.timeline(.load, .join("a"), .leave, .join("b"), seconds: 1)
    let note = timeline.steps.first { $0.actions == [.note("b")] }
    #expect(timeline.causes(of: note?.number ?? 0).map(\.actions) == [[.note("b")], [.join("b")]])
  }

  @Test func `causes end where they are not recorded, and an unknown step has none`() {
    let timeline = Room.timeline(.start, seconds: 2, limit: 5)
    #expect(timeline.causes(of: 4).map(\.actions) == [[.done], [.tick]])
    #expect(timeline.causes(of: 1).isEmpty)
    #expect(timeline.causes(of: 77).isEmpty)
  }

  // MARK: Replay

  @MainActor @Test func `a replay leaves a new composer in the last state`() {
    let timeline = Room.timeline(.start, .both, .join("a"), seconds: 2)
    let room = Room()
    let replayed = timeline.replay(into: room)
    #expect(replayed.difference(from: timeline) == nil)
    let revived = VirtualTime().run { Screen(room) }.composer
    #expect(revived.state == timeline.steps.last?.state)
    #expect(revived.state.notes == ["a", "b", "a", "a"])
    #expect(revived.state.count == 2)
  }

  @MainActor @Test func `a replay starts no effect`() {
    let (time, room) = (VirtualTime(), Room())
    _ = time.run { Room.timeline(.start, .load, .fail).replay(into: room) }
    let revived = time.run { Screen(room) }.composer
    let recorder = TimelineRecorder(revived.trace)
    time.advance(by: .seconds(5))
    #expect(recorder.timeline.entries.isEmpty)
  }

  @Test func `a replay shows the states of a changed reducer`() {
    let timeline = Room.timeline(.start, seconds: 1)
    #expect(
      timeline.replay(into: Room(tick: 5)).difference(from: timeline) == """
        entry 3: step.state.count: 1 → 5
        - step 2 by effect(1): tick → State(count: 1, name: nil, notes: [], _alert: nil)
        + step 2 by effect(1): tick → State(count: 5, name: nil, notes: [], _alert: nil)
        """)
  }

  @Test func `a replay begins with the first recorded state when earlier steps were dropped`() {
    let timeline = Room.timeline(.load, .load, .both, .start, seconds: 1, limit: 6)
    #expect(timeline.dropped > 0)
    #expect(timeline.steps.first?.number != 1)
    #expect(timeline.replay(into: Room()).difference(from: timeline) == nil)
  }

  @Test func `equal actions give equal timelines`() {
    let first = Room.timeline(.start, .both, .fail, .join("a"), seconds: 10)
    for _ in 0..<100 {
      let next = Room.timeline(.start, .both, .fail, .join("a"), seconds: 10)
      #expect(next.difference(from: first) == nil)
    }
  }
}
