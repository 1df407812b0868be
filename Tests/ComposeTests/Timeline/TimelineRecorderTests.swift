import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("TimelineRecorder", .workerPool) struct TimelineRecorderTests {
  @Test func `a timeline recorder keeps entries up to its limit and counts the dropped entries`() {
    let timeline = Room.timeline(.load, .both, limit: 3)
    #expect(timeline.dropped == 3)
    #expect(
      timeline.entries.map(\.description).map { $0.prefix(6) } == ["step 2", "step 3", "step 4"])
    #expect(timeline.description.hasPrefix("3 dropped\n0.000 step 2 by effect(1): tick → State("))
    #expect(Room.timeline(.load, limit: 0).entries.isEmpty)
    #expect(Room.timeline(.load, limit: -1).dropped == 4)
  }

  @Test func `a timeline recorder releases a state with its entry`() {
    final class Session: Composer {
      struct State { var token: LiveToken? }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let liveCount: LiveCount
      init(_ liveCount: LiveCount) { self.liveCount = liveCount }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.token = LiveToken(liveCount)
        return .none
      }
    }
    let liveCount = LiveCount()
    let session = Composed(sending: Session(liveCount))
    let recorder = TimelineRecorder(session.trace, limit: 10)
    for number in 0..<1_000 { session.send(number) }
    #expect(liveCount.count == 10)
    #expect(recorder.timeline.steps.map(\.actions).last == [999])
  }

  @Test func `a timeline recorder records from its creation until it is stopped`() {
    let room = Composed(sending: Room())
    room.send(.note("before"))
    let recorder = TimelineRecorder(room.trace)
    room.send(.note("recorded"))
    recorder.stop()
    room.send(.note("after"))
    #expect(recorder.timeline.steps.map(\.actions) == [[.note("recorded")]])
    #expect(recorder.timeline.steps.first?.number == 2)
  }

  @Test func `releasing a timeline recorder ends the recording`() {
    let room = Composed(sending: Room())
    let ended = EventRecorder<Bool>()
    do {
      let trace = room.trace.do(onDispose: { ended.append(true) })
      let recorder = TimelineRecorder(trace)
      room.send(.load)
      #expect(recorder.timeline.entries.count == 4)
      #expect(ended.events.isEmpty)
    }
    #expect(ended.events == [true])
  }

  @MainActor @Test func `a timeline recorder records a composer on the main actor`() {
    let screen = Screen(Room())
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.action.accept(.load)
    #expect(recorder.timeline.steps.map(\.actions) == [[.load], [.tick]])
  }

  @Test func `a timeline recorder records all actions of eight threads`() async {
    let room = Composed(sending: Room())
    let recorder = TimelineRecorder(room.trace, limit: 100_000)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 {
            room.send(.load)
            _ = recorder.timeline
          }
        }
      }
    }
    let steps = recorder.timeline.steps
    #expect(steps.map(\.number) == Array(1...steps.count))
    #expect(steps.last?.state.count == room.state.count)
    #expect(room.state.count == 800)
  }
}
