import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

@Suite("Drawn values", .workerPool) struct DrawnValuesTests {
  private typealias Recorded = Timeline<Draws.State, Draws.Action>

  private func recorded(
    _ actions: Draws.Action..., change: (inout Dependencies) -> Void = { _ in }
  ) -> Recorded {
    let time = VirtualTime(change)
    let draws = time.run { Composed(sending: Draws()) }
    let recorder = TimelineRecorder(draws.trace)
    for action in actions {
      draws.send(action)
      time.advance(by: .seconds(1))
    }
    return recorder.timeline
  }

  @Test func `a recorded step has what its reducer has drawn, in order`() {
    let timeline = recorded(.all, .none, .id)
    let first = timeline.steps[0].state
    #expect(
      timeline.steps[0].drawn == [
        .id(first.ids[0]), .date(first.dates[0]), .number(first.numbers[0]), .id(first.ids[1]),
      ])
    #expect(timeline.steps[1].drawn.isEmpty)
    #expect(timeline.steps[2].drawn == [.id(timeline.steps[2].state.ids[2])])
  }

  @Test func `a replay draws what was drawn, whatever is injected`() {
    let timeline = recorded(.all, .id, .child) {
      $0.uuid = { UUID() }
      $0.random = .system
    }
    #expect(timeline.replay(into: Draws()).difference(from: timeline) == nil)
    let other = timeline.replay(into: Draws()) { $0.uuid = { .counted(9) } }
    #expect(other.difference(from: timeline) == nil)
  }

  @Test func `a group draws in the order of its actions`() throws {
    let time = VirtualTime { $0.uuid = { UUID() } }
    let draws = time.run { Composed(sending: Draws()) }
    let recorder = TimelineRecorder(draws.trace)
    draws.send(.both)
    let timeline = recorder.timeline
    #expect(timeline.steps.last?.drawn == timeline.steps.last?.state.ids.map { .id($0) })
    #expect(timeline.steps.last?.drawn.count == 2)
    #expect(timeline.replay(into: Draws()).difference(from: timeline) == nil)
  }

  @Test func `only the draws of reducers are recorded`() {
    let timeline = recorded(.effect, .id)
    let steps = timeline.steps
    // The state effects, the middleware and the effect have drawn too.
    #expect(steps.map(\.drawn.count) == [0, 1, 1])
    #expect(steps[1].drawn == [.id(steps[1].state.ids[0])])
    #expect(timeline.replay(into: Draws()).difference(from: timeline) == nil)
  }

  @Test func `a draw that draws another value is one`() {
    let timeline = recorded(.id) {
      let random = RandomSource.seeded(7)
      $0.uuid = { UUID(count: random.next()) }
    }
    #expect(timeline.steps[0].drawn == [.id(timeline.steps[0].state.ids[0])])
  }

  @Test func `a reducer that draws more than was recorded gets new values`() {
    let timeline = recorded(.id)
    let all = Recorded(entries: [
      TraceEvent(
        time: .now,
        kind: .step(
          ComposerStep(
            number: 1, source: .outside, actions: [.all], state: Draws.State(),
            drawn: timeline.steps[0].drawn)))
    ])
    let state = all.replay(into: Draws()).steps[0].state
    #expect(state.ids[0] == timeline.steps[0].state.ids[0])
    #expect(state.ids.count == 2 && state.ids[1] != state.ids[0])
  }

  @Test func `drawn values are in JSON lines, and lines without them are read`() throws {
    let timeline = recorded(.all, .none)
    let text = try timeline.jsonLines()
    let imported = try Recorded(jsonLines: text)
    #expect(imported.steps.map(\.drawn) == timeline.steps.map(\.drawn))
    #expect(imported.replay(into: Draws()).difference(from: timeline) == nil)
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.contains("\"drawn\":[{\"id\":{\"_0\":\"") } == 1)
    let old = text.replacing(/"drawn":\[.*?\],/, with: "")
    #expect(try Recorded(jsonLines: old).steps.map(\.drawn) == [[], []])
    #expect(try Recorded(jsonLines: old).difference(from: timeline) == nil)
  }

  @Test func `nothing is kept for a composer that is not recorded`() {
    let draws = VirtualTime().run { Composed(sending: Draws()) }
    draws.send(.all)
    let recorder = TimelineRecorder(draws.trace)
    recorder.stop()
    draws.send(.id)
    let tracer = TracedStore<Draws.State, Draws.Action>.of(draws.actions)?.tracer
    #expect(tracer != nil && tracer?.lazyDraws.object == nil)
  }

  @Test(arguments: [(Draws.Action.ownID, "An id", "uuid"), (.ownDate, "A date", "now")])
  func `the difference of a reducer with values of its own says what to do`(
    action: Draws.Action, value: String, name: String
  ) {
    let timeline = recorded(action)
    let last = timeline.replay(into: Draws()).difference(from: timeline)?
      .split(separator: "\n").last
    #expect(
      last.map(String.init) == """
        \(value) that a reducer makes by itself is another one in each replay. \
        Read Dependencies.current.\(name) in the reducer, and record again.
        """)
  }

  @Test func `another id of the state is no value of the reducer's own`() {
    let ids = [UUID(), UUID()]
    let old = Draws.State(ids: ids, dates: [], numbers: [], chosen: ids[0])
    var new = old
    new.chosen = ids[1]
    #expect(adviceOnOwnValues(old, new) == nil)
    new.chosen = UUID()
    #expect(adviceOnOwnValues(old, new) == nil)
    new.ids[0] = UUID()
    #expect(adviceOnOwnValues(old, new)?.hasPrefix("An id that") == true)
  }

  final class Draws: Composer {
    enum Action: Codable, Sendable {
      case all, none, id, both, child, childAction, effect, ownID, ownDate
    }
    struct State: Codable, Equatable, Sendable {
      var ids: [UUID] = []
      var dates: [Date] = []
      var numbers: [UInt64] = []
      var chosen: UUID?
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let uuid = Dependencies.current.uuid
    private let random = Dependencies.current.random

    var middleware: [any Middleware<State, Action>] { [Drawing()] }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .all:
        state.ids.append(uuid())
        state.dates.append(Dependencies.current.now)
        state.numbers.append(random.next())
        state.ids.append(Dependencies.current.uuid())
      case .none, .childAction: break
      case .id: state.ids.append(uuid())
      case .both: return .group([.id, .id])
      case .child: state.ids.append(Dependencies.with({ _ in }) { Dependencies.current.uuid() })
      case .effect:
        return .run { effect in
          _ = Dependencies.current.uuid()
          effect(.id)
        }
      case .ownID: state.ids.append(UUID())
      case .ownDate: state.dates.append(Date())
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      _ = Dependencies.current.uuid()
      return []
    }
  }

  final class Drawing: Middleware {
    func willReduce(_ action: Draws.Action, _ state: Draws.State) -> Draws.Action? {
      _ = Dependencies.current.uuid()
      return action
    }

    func didReduce(_ action: Draws.Action, _ state: Draws.State) -> Observable<
      Effect<Draws.Action>
    > {
      _ = Dependencies.current.random.next()
      return .none
    }
  }
}
