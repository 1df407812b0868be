import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("TraceEvent", .workerPool)
struct TraceEventTests {
  let time = VirtualTime()

  nonisolated func text(_ event: TraceEvent<ClosureComposer.State, ClosureComposer.Action>)
    -> String
  {
    switch event.kind {
    case .step(let step):
      "\(step.number) \(step.actions) \(step.source) -> \(step.state.count)"
        .replacingOccurrences(of: "ComposeTests.ClosureComposer.Action.", with: "")
    case .started(let effect, let origin, _): "start \(effect) \(origin)"
    case .ended(let effect, let end): "end \(effect) \(end)"
    }
  }

  @Test func `a trace has steps with their causes, and effects from start to end`() {
    let screen = time.run {
      Screen(
        ClosureComposer { probe, state, action in
          state.count += 1
          switch action {
          case .go: return .send(.number(1))
          case .number:
            return .timer(.group(.tick, .other), dueTime: .seconds(1), period: .seconds(1))
          case .tick where state.count > 4: return .cancelAll
          case .stop: return .run(.error(Failure()))
          default: return .none
          }
        }
      )
    }
    let events = EventRecorder<String>()
    let times = EventRecorder<Double>()
    let start = time.scheduler.now
    let subscription = screen.composer.trace.subscribe(onNext: {
      events.append(text($0))
      times.append($0.time.timeIntervalSince(start))
    })
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    screen.composer.action.accept(.stop)
    subscription.dispose()
    #expect(
      events.events == [
        "1 [go] outside -> 1", "2 [number(1)] step(1) -> 2", "start 1 step(2)",
        "3 [tick, other] effect(1) -> 4", "4 [tick, other] effect(1) -> 6",
        "start 2 step(4)", "end 1 cancelled", "end 2 completed",
        "5 [stop] outside -> 7", "start 3 step(5)", #"end 3 failed("Failure()")"#,
      ]
    )
    #expect(times.events == [0, 0, 0, 1, 2, 2, 2, 2, 10, 10, 10])
  }

  @Test func `an effect with an id is traced by it, also that of a child`() {
    final class Box: Composer {
      struct State { var page = ClosureComposer.State() }
      @ComposableState var state = State()
      var action = PublishRelay<ClosureComposer.Action>()
      var disposeBag = DisposeBag()
      let page = Child(\State.page, { $0 }) {
        ClosureComposer { _, _, action in
          switch action {
          case .go: .never().cancellable(id: "search")
          case .number(let number): .never().latest(id: number)
          default: .send(.tick, after: .seconds(1))
          }
        }
      }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        page.reduce(&state, action)
      }
    }
    let screen = time.run { Screen(Box()) }
    let events = EventRecorder<String>()
    let subscription = screen.composer.trace.subscribe(onNext: {
      if case .started = $0.kind { events.append("\($0)") }
    })
    for action in [ClosureComposer.Action.go, .number(7), .tick] {
      screen.composer.action.accept(action)
    }
    #expect(
      events.events == [
        "effect 1 (search) started by step(1)", "effect 2 (7) started by step(2)",
        "effect 3 started by step(3)",
      ])
    subscription.dispose()
  }

  @Test func `an effect that completes while another one is cancelled is traced as completed`() {
    let own = DisposeBag()
    let screen = time.run {
      Screen(
        ClosureComposer { _, _, action in
          switch action {
          case .go: .concatenate(.run(.never()).cancellable(own), .send(.tick))
          case .tick: .run(Observable.just(.number(1)).map { $0 })
          default: .none
          }
        })
    }
    let events = EventRecorder<String>()
    let subscription = screen.composer.trace.subscribe(onNext: {
      if case .ended = $0.kind { events.append(text($0)) }
    })
    screen.composer.action.accept(.go)
    own.dispose()
    #expect(events.events == ["end 2 completed", "end 1 cancelled"])
    subscription.dispose()
  }

  @Test func `an effect whose last part is cancelled is traced as cancelled`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, _, action in
          switch action {
          case .go:
            .concatenate(.run(Observable.of(.tick)), .run(.never()).cancellable(id: 1))
          case .stop: .cancel(id: 1)
          default: .none
          }
        })
    }
    let events = EventRecorder<String>()
    let subscription = screen.composer.trace.subscribe(onNext: {
      if case .ended = $0.kind { events.append(text($0)) }
    })
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    #expect(events.events == ["end 1 cancelled", "end 2 completed"])
    subscription.dispose()
  }

  @Test func `the trace of a composer that is not bound is empty`() {
    let ended = EventRecorder<String>()
    _ = ClosureComposer { _, _, _ in .none }.trace.subscribe(onCompleted: { ended.append("ended") })
    #expect(ended.events == ["ended"])
  }

  @Test func `a composer off the main actor has a trace`() {
    final class Counter: Composer {
      struct State { var count = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.count += action
        return .none
      }
    }
    let composed = Composed(sending: Counter())
    let counts = EventRecorder<Int>()
    let subscription = composed.trace.subscribe(onNext: { event in
      if case .step(let step) = event.kind { counts.append(step.state.count) }
    })
    composed.send(2)
    composed.send(3)
    #expect(counts.events == [2, 5])
    subscription.dispose()
    composed.send(4)
    #expect(counts.events == [2, 5])
  }

  @Test func `a state that is written from outside is a step`() {
    let time = VirtualTime()
    let screen = time.run { Screen(ClosureComposer { _, _, _ in .none }) }
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.action.accept(.go)
    screen.composer.state = ClosureComposer.State(count: 7)
    screen.composer.action.accept(.go)
    let steps = recorder.timeline.steps
    #expect(steps.map(\.change) == [nil, "state", nil])
    #expect(steps.map(\.source) == [.outside, .outside, .outside])
    #expect(steps[1].state.count == 7)
    let replayed = recorder.timeline.replay(into: ClosureComposer { _, _, _ in .none })
    #expect(replayed.difference(from: recorder.timeline) == nil)
  }
}
