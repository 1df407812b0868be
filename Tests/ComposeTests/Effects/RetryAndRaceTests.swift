import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Retrying and racing effects", .workerPool)
struct RetryAndRaceTests {
  typealias Work = Observable<Effect<ClosureComposer.Action>>

  let attempts = EventRecorder<Double>()

  /// `go` starts the effect of `effect`, `stop` ends all effects, and other actions are logged.
  func screen(_ time: VirtualTime, _ effect: @escaping () -> Work) -> Screen<ClosureComposer> {
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
        })
    }
  }

  /// Work that fails until this number of attempts.
  func work(_ time: VirtualTime, failing: Int, _ error: any Error = Failure()) -> Work {
    .run { [attempts] effect in
      attempts.append(time.elapsed)
      if attempts.count <= failing { throw error }
      effect.onNext(.send(.tick))
    }
  }

  @Test func `a failing effect runs again after the delays of its backoff`() {
    let time = VirtualTime()
    let screen = screen(time) {
      work(time, failing: 3).retry(.exponential(jitter: .none))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(60))
    #expect(attempts.events == [0, 1, 3, 7])
    #expect(screen.composer.state.log == ["tick"])
    #expect(screen.composer.failures.isEmpty)
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `after the last attempt the effect fails, and a catch behind the retry handles it`() {
    for isCaught in [false, true] {
      let time = VirtualTime()
      let screen = screen(time) {
        let work = Work.run { _ in throw Failure() }.retry(.fixed(.seconds(1), maxAttempts: 2))
        return isCaught ? work.catch { _ in .send(.other) } : work
      }
      screen.composer.action.accept(.go)
      time.advance(by: .milliseconds(1_999))
      #expect(screen.composer.disposeBag.count == 1)
      time.advance(by: .milliseconds(1))
      #expect(screen.composer.state.log == (isCaught ? ["other"] : []))
      #expect(screen.composer.failures == (isCaught ? [] : ["Failure() from go"]))
    }
  }

  @Test func `a retry without attempts fails at once, and one without a limit goes on`() {
    for (limit, count, failures) in [(0, 1, 1), (-1, 1, 1), (nil, 11, 0)] as [(Int?, Int, Int)] {
      let (time, attempts) = (VirtualTime(), EventRecorder<Double>())
      let screen = screen(time) {
        .run { _ in
          attempts.append(time.elapsed)
          throw Failure()
        }.retry(.fixed(.seconds(1), maxAttempts: limit))
      }
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(10))
      #expect(attempts.count == count)
      #expect(screen.composer.failures.count == failures)
    }
  }

  @Test func `an effect that sends and then fails sends again with each attempt`() {
    let time = VirtualTime()
    let screen = screen(time) {
      .concatenate(.send(.tick), .run(.error(Failure())))
        .retry(.fixed(.seconds(1), maxAttempts: 2))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["tick", "tick", "tick"])
    #expect(screen.composer.failures == ["Failure() from go"])
  }

  @Test func `an error that is not transient, and a cancellation, are not retried`() {
    struct Refused: Error {}
    for (error, failures) in [
      (Refused(), ["Refused() from go"]), (CancellationError(), []),
    ] as [(any Error, [String])] {
      let time = VirtualTime()
      let screen = screen(time) {
        Work.run(.error(error)).retry(.fixed(.seconds(1)), if: { !($0 is Refused) })
      }
      screen.composer.action.accept(.go)
      #expect(screen.composer.failures == failures)
      #expect(screen.composer.disposeBag.count == 0)
    }
  }

  @Test func `the jitter of a retry is drawn from the random source`() {
    let time = VirtualTime { $0.random = RandomSource { .max } }
    let screen = screen(time) {
      work(time, failing: 2).retry(.fixed(.seconds(4), jitter: .upTo(0.5)))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(20))
    #expect(attempts.events == [0, 6, 12])
  }

  @Test func `an effect that is cancelled while it waits does not run again`() {
    let time = VirtualTime()
    let screen = screen(time) { work(time, failing: 9).retry(.fixed(.seconds(1))) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(20))
    #expect(attempts.events == [0, 1])
  }

  @Test func `a race runs the effect that sends first to its end, and cancels the others`() {
    let (time, ended) = (VirtualTime(), EventRecorder<String>())
    let screen = screen(time) {
      .race(
        Work.send(.other, after: .seconds(3)).do(onDispose: { ended.append("slow") }),
        .concatenate(.send(.tick, after: .seconds(2)), .send(.number(1), after: .seconds(5)))
      )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(2))
    #expect(ended.events == ["slow"])
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log == ["tick", "number(1)"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test(arguments: [1, 20])
  func `a race with a delayed send is a timeout`(seconds: Int) {
    let (time, cancelled) = (VirtualTime(), EventRecorder<Bool>())
    let screen = screen(time) {
      .race(
        .run { effect in
          do {
            try await EffectContext.sleep(.seconds(seconds))
            effect.onNext(.send(.tick))
          } catch { cancelled.append(Task.isCancelled) }
        },
        .send(.other, after: .seconds(10))
      )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log == [seconds == 1 ? "tick" : "other"])
    #expect(cancelled.events == (seconds == 1 ? [] : [true]))
  }

  @Test func `an effect that completes without sending wins a race, and so does one that fails`() {
    for (first, failures) in [
      (.fireAndForget {}, []), (.run { _ in throw Failure() }, ["Failure() from go"]),
    ] as [(Work, [String])] {
      let time = VirtualTime()
      let screen = screen(time) { .race(first, .send(.other, after: .seconds(1))) }
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(10))
      #expect(screen.composer.state.log.isEmpty)
      #expect(screen.composer.failures == failures)
    }
  }

  @Test func `a race of no effects completes, and a race of one is that effect`() {
    let time = VirtualTime()
    let screen = screen(time) { .concatenate(.race(), .race(.send(.tick)), .send(.other)) }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["tick", "other"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `an effect that sends or ends when it starts keeps later ones from starting`() {
    for (first, log) in [(.send(.tick), ["tick"]), (.none, [])] as [(Work, [String])] {
      let (time, started) = (VirtualTime(), EventRecorder<Bool>())
      let screen = screen(time) {
        .race(first, Work.send(.other).do(onSubscribe: { started.append(true) }))
      }
      screen.composer.action.accept(.go)
      #expect(screen.composer.state.log == log)
      #expect(started.events == [])
    }
  }

  @Test func `a race that its own action cancels ends`() {
    let time = VirtualTime()
    let screen = screen(time) {
      .race(
        .concatenate(.send(.stop), .send(.tick, after: .seconds(1))),
        .send(.other, after: .seconds(2)))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(9))
    #expect(screen.composer.state.log == [])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `ended races and retries are released`() {
    let (time, alive) = (VirtualTime(), LiveCount())
    let screen = screen(time) {
      let tokens = (0...2).map { _ in LiveToken(alive) }
      return .race(
        Work.send(.tick, after: .seconds(2)).do(onDispose: { _ = tokens[0] }),
        Work.run { _ in throw Failure() }.do(onDispose: { _ = tokens[1] })
          .retry(.fixed(.seconds(5))),
        Work.run { _ in try await EffectContext.sleep(.seconds(60)) }
          .do(onDispose: { _ = tokens[2] }))
    }
    for expected in ["tick", "stop"] {
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(1))
      #expect(alive.count == 3)
      if expected == "stop" { screen.composer.action.accept(.stop) }
      time.advance(by: .seconds(1))
      #expect(alive.count == 0)
      #expect(screen.composer.disposeBag.count == 0)
    }
    #expect(screen.composer.state.log == ["tick"])
  }
}
