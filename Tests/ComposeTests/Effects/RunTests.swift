import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("run effects", .workerPool)
struct RunTests {
  let time = VirtualTime()

  func screen(_ effect: @escaping @Sendable () -> Observable<Effect<ClosureComposer.Action>>)
    -> Screen<ClosureComposer>
  {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go: return effect()
          case .stop: return .cancelAll
          default:
            state.log.append("\(action)")
            return .none
          }
        }
      )
    }
  }

  @Test func `run sends the action that its closure returns`() {
    let screen = screen {
      .concatenate(
        .run { [seconds = Duration.seconds(1)] in
          try await EffectContext.sleep(seconds)
          return .number(1)
        }, .send(.other))
    }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == [])
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["number(1)", "other"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `an error of a closure that returns an action goes to its catch`() {
    let screen = screen {
      .run {
        throw Failure()
      } catch: { _ in
        .send(.other)
      }
    }
    screen.composer.action.accept(.go)
    time.settle()
    #expect(screen.composer.state.log == ["other"])
  }

  @Test func `run sends the elements of an async sequence and ends with it`() {
    let screen = screen {
      .concatenate(
        .run(
          AsyncStream { continuation in
            for number in 1...3 { continuation.yield(.number(number)) }
            continuation.finish()
          }
        ),
        .send(.other)
      )
    }
    screen.composer.action.accept(.go)
    time.settle()
    #expect(screen.composer.state.log == ["number(1)", "number(2)", "number(3)", "other"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `an async sequence's error goes to its catch, or to effectFailed`() {
    let caught = screen {
      .run(Observable<ClosureComposer.Action>.error(Failure()).values) { _ in .send(.other) }
    }
    caught.composer.action.accept(.go)
    time.settle()
    #expect(caught.composer.state.log == ["other"])
    let uncaught = screen { .run(Observable<ClosureComposer.Action>.error(Failure()).values) }
    uncaught.composer.action.accept(.go)
    time.settle()
    #expect(uncaught.composer.failures == ["Failure() from go"])
  }

  @Test func `cancelling run of an async sequence ends the iteration`() {
    let ended = EventRecorder<String>()
    let screen = screen {
      let (stream, continuation) = AsyncStream<ClosureComposer.Action>.makeStream()
      continuation.onTermination = { ended.append("\($0)") }
      return .run(stream)
    }
    screen.composer.action.accept(.go)
    time.settle()
    screen.composer.action.accept(.stop)
    time.settle()
    #expect(ended.events == ["cancelled"])
  }

  @Test func `an error that a cancelled run throws is dropped`() {
    let caught = EventRecorder<String>()
    let screen = screen {
      .run { _ in
        do { try await EffectContext.sleep(.seconds(60)) } catch {
          caught.append("cancelled")
          throw Failure()
        }
      } catch: { error in
        caught.append("\(error)")
        return .none
      }
    }
    screen.composer.action.accept(.go)
    time.settle()
    screen.composer.action.accept(.stop)
    time.settle()
    #expect(caught.events == ["cancelled"])
    #expect(screen.composer.failures.isEmpty)
  }

  @Test func `run sleeps on the composer's clock also when a timer starts it`() {
    let screen = screen {
      Observable.run { effect in
        try await EffectContext.sleep(.seconds(60))
        effect.onNext(.send(.other))
      }
      .debounce(id: "late", for: .seconds(1))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log.isEmpty)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["other"])
  }

  @Test func `fireAndForget sends no action and reports errors`() {
    let done = EventRecorder<String>()
    let screen = screen {
      .concatenate(
        .fireAndForget { done.append("written") },
        .fireAndForget { throw Failure() }
      )
    }
    screen.composer.action.accept(.go)
    time.settle()
    #expect(done.events == ["written"])
    #expect(screen.composer.failures == ["Failure() from go"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `the observer of an operation is called with an action`() {
    let test = TestComposer(
      ClosureComposer { _, _, action in
        action == .go ? .run { send in for number in 1...2 { send(.number(number)) } } : .none
      })
    test.send(.go)
    for number in 1...2 { test.receive(.number(number)) }
    test.finish()
  }
}
