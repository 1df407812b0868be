import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Effect", .workerPool(limit: 300))
struct EffectTests {
  let time = VirtualTime()

  @Test func `a group of actions is one step, reduced in order and published once`() {
    let screen = Screen(
      ClosureComposer { _, state, action in
        state.log.append("\(action)")
        switch action {
        case .go: return .group(.tick, .number(1), .stop)
        case .number: return .send(.other)
        default: return .none
        }
      }
    )
    let published = EventRecorder<Int>()
    let received = EventRecorder<ClosureComposer.Action>()
    let bag = DisposeBag()
    screen.composer.$state.states.skip(1)
      .subscribe(onNext: { published.append($0.log.count) })
      .disposed(by: bag)
    screen.composer.action.subscribe(onNext: { received.append($0) }).disposed(by: bag)
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["go", "tick", "number(1)", "stop", "other"])
    #expect(published.events == [1, 4, 5])
    #expect(received.events == [.go, .tick, .number(1), .stop, .other])
  }

  @Test func `an empty group of actions makes no step`() {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .group([])
      }
    )
    let published = EventRecorder<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.append($0.count)
    })
    screen.composer.action.accept(.go)
    #expect(published.events == [0, 1])
    subscription.dispose()
  }

  @Test func `an async effect can send groups of actions`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          state.log.append("\(action)")
          return action == .go ? .run { $0.onNext(.group([.tick, .stop])) } : .none
        }
      )
    }
    let published = EventRecorder<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.append($0.log.count)
    })
    screen.composer.action.accept(.go)
    time.settle()
    #expect(published.events == [0, 1, 3])
    subscription.dispose()
  }

  @Test func `a decide effect makes one step, and receives the state after all earlier steps`() {
    let screen = Screen(
      ClosureComposer { probe, state, action in
        state.log.append("\(action)")
        guard action == .go else { return .none }
        // The action that is sent first is reduced first.
        probe.action.accept(.tick)
        return .decide { (state: ClosureComposer.State) in [.number(state.log.count), .stop] }
      }
    )
    let published = EventRecorder<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.append($0.log.count)
    })
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["go", "tick", "number(2)", "stop"])
    #expect(published.events == [0, 1, 2, 4])
    subscription.dispose()
  }

  @Test func `a decide effect without actions makes no step`() {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .decide { (_: ClosureComposer.State) in [] }
      }
    )
    let published = EventRecorder<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.append($0.count)
    })
    screen.composer.action.accept(.go)
    #expect(published.events == [0, 1])
    subscription.dispose()
  }

  @Test func `decide effects run on the composer's executor`() async {
    let messages = PublishSubject<Int>()
    let screen = Screen(
      ClosureComposer { _, state, action in
        if case .number(let number) = action { state.count = number }
        guard action == .go else { return .none }
        return messages.map { message in
          .decide { (state: ClosureComposer.State) in
            dispatchPrecondition(condition: .onQueue(.main))
            return [.number(state.count + message), .tick]
          }
        }
      }
    )
    let steps = EventRecorder<String>()
    let subscription = screen.composer.trace.compactMap(\.step).subscribe(onNext: { step in
      steps.append("\(step.actions.count) \(step.source)")
    })
    screen.composer.action.accept(.go)
    await Task.detached { for message in 1...100 { messages.onNext(message) } }.value
    // Queued actions are reduced before it.
    screen.composer.action.accept(.other)
    #expect(screen.composer.state.count == 5_050)
    #expect(steps.events.count == 102)
    #expect(steps.events[1...100].allSatisfy { $0 == "2 effect(1)" })
    subscription.dispose()
  }

  @Test func `a decide effect with another state type stops the program with a reason`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let composed = Composed(sending: ClosureComposer { _, _, _ in .decide { (_: Int) in [] } })
      composed.send(.go)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("An effect decides by Int, and its composer's state is State."))
    #endif
  }

  @Test func `Effect.map converts the actions`() {
    func numbers(_ effect: Effect<Int>) -> String { "\(effect.map { "\($0 * 2)" })" }
    #expect(numbers(.send(1)) == #"send("2")"#)
    #expect(numbers(.group([1, 2])) == #"group(["2", "4"])"#)
    #expect(numbers(.none) == "none")
    let decision = Effect<Int>.decide { (state: Int) in [1, state] }.map { "\($0 * 2)" }
    if case .decision(let decide) = decision { #expect(decide(3) == ["2", "6"]) }
    #expect(decision.action == nil)
    #expect(Effect.send(1).action == 1)
    #expect(Effect.group([1]).action == nil)
  }
}
