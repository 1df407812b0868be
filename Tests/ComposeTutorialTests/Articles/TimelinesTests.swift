import Compose
import Observation
import ReactiveTesting
import TestSupport
import Testing

final class Kettle: Composer {
  enum Action: Codable { case start, tick }
  struct State: Codable, Equatable { var degrees = 20, isOn = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let power: Int

  init(power: Int = 40) { self.power = power }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start:
      state.isOn = true
      return .interval(.send(.tick), period: .seconds(1)).take(2)
    case .tick:
      state.degrees += power
      state.isOn = state.degrees < 100
      return .none
    }
  }
}

@Suite("The examples of Timelines.md", .workerPool)
struct TimelinesTests {
  let time = VirtualTime()

  @Test func `a timeline is printed, stored, replayed and compared`() throws {
    let kettle = time.run { Composed(sending: Kettle()) }

    let recorder = TimelineRecorder(kettle.trace)
    kettle.send(.start)
    time.advance(by: .seconds(2))
    let timeline = recorder.timeline

    #expect(
      "\(timeline)" == """
        0.000 step 1 by outside: start → State(degrees: 20, isOn: true)
        0.000 effect 1 started by step(1)
        1.000 step 2 by effect(1): tick; degrees: 20 → 60
        2.000 step 3 by effect(1): tick; degrees: 60 → 100; isOn: true → false
        2.000 effect 1 ended: completed
        """)
    #expect(timeline.causes(of: 3).map(\.number) == [3, 1])

    let file = try timeline.jsonLines()
    let read = try Timeline<Kettle.State, Kettle.Action>(jsonLines: file)
    #expect(read.replay(into: Kettle()).difference(from: timeline) == nil)

    #expect(
      read.replay(into: Kettle(power: 30)).difference(from: timeline) == """
        entry 3: step.state.degrees: 60 → 50
        - step 2 by effect(1): tick → State(degrees: 60, isOn: true)
        + step 2 by effect(1): tick → State(degrees: 50, isOn: true)
        """)
  }

  @MainActor
  @Test func `a trace log has one line for each event`() {
    @MainActor final class Owner {
      @Compose var composer = Kettle()
    }
    let owner = time.run { Owner() }
    let bag = DisposeBag()
    let lines = Locked<[String]>([])
    @Sendable func log(_ line: String) { lines.withLock { $0.append(line) } }
    let composer = owner.composer

    composer.trace.subscribe(onNext: { log("\($0)") }).disposed(by: bag)

    composer.action.accept(.start)
    #expect(
      lines.withLock { $0 } == [
        "step 1 by outside: start → State(degrees: 20, isOn: true)",
        "effect 1 started by step(1)",
      ])
  }

  @MainActor
  @Test func `an observing view is notified of the properties that it reads`() {
    let model = time.run { ObservedComposer(Kettle()) }
    let changes = Locked(0)
    withObservationTracking {
      _ = model.degrees
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    model.send(.start)
    #expect(changes.withLock { $0 } == 0)
    time.advance(by: .seconds(1))
    #expect(changes.withLock { $0 } == 1)
    #expect(model.degrees == 60)
  }
}
