import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Timer effects", .workerPool)
struct EffectTimersTests {
  let time = VirtualTime()

  func screen(_ effect: @escaping () -> Observable<Effect<ClosureComposer.Action>>) -> Screen<
    ClosureComposer
  > {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          if action == .go { return effect() }
          state.log.append("\(action)")
          return .none
        }
      )
    }
  }

  func counts(_ screen: Screen<ClosureComposer>, _ steps: [Int]) -> [Int] {
    screen.composer.action.accept(.go)
    return steps.map {
      time.advance(by: .milliseconds($0))
      return screen.composer.state.log.count
    }
  }

  @Test func `a timer effect without a due time ticks at once, then once a period`() {
    let screen = screen { .timer(.send(.tick), period: .seconds(2)) }
    #expect(counts(screen, [0, 1_999, 1, 2_000]) == [1, 1, 2, 3])
  }

  @Test func `a period is a Duration or an RxTimeInterval`() {
    let (duration, interval) = (Duration.milliseconds(1_500), RxTimeInterval.milliseconds(1_500))
    for effect in [
      .timer(.send(.tick), dueTime: duration, period: duration),
      .timer(.send(.tick), dueTime: interval, period: interval),
      .interval(.send(.tick), period: duration),
      .interval(.send(.tick), period: interval),
      .interval(.send(.tick), period: .seconds(1.5)),
    ] as [Observable<Effect<ClosureComposer.Action>>] {
      #expect(counts(screen { effect }, [1_499, 1, 1_499, 1]) == [0, 1, 1, 2])
    }
  }

  @Test func `an interval effect uses a given scheduler`() {
    let other = VirtualTime()
    let screen = screen {
      .interval(.send(.tick), period: .seconds(1), scheduler: other.scheduler)
    }
    #expect(counts(screen, [5_000]) == [0])
    other.advance(by: .seconds(2))
    #expect(screen.composer.state.log.count == 2)
  }

  @Test func `a timer effect in concat uses the composer's clock`() {
    let screen = screen {
      .concat(
        .run { $0.onNext(.send(.other)) },
        .timer(.send(.tick), dueTime: .seconds(1), period: .seconds(1))
      )
    }
    #expect(counts(screen, [0, 999, 1]) == [1, 1, 2])
  }

  @Test func `a timer effect without a due time ticks before accept returns`() {
    let screen = screen { .timer(.send(.tick), period: .seconds(2)) }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["tick"])
  }

  @Test func `an effect returned by a catch uses the composer's clock`() {
    let failing = PublishSubject<ClosureComposer.Action>()
    let screen = screen {
      .run(failing.asObservable()) { _ in .interval(.send(.tick), period: .seconds(1)) }
    }
    screen.composer.action.accept(.go)
    failing.onError(Failure())
    time.advance(by: .seconds(3))
    #expect(screen.composer.state.log.count == 3)
  }

  @Test func `EffectContext.clock and EffectContext.sleep use the composer's clock`() {
    let screen = screen {
      .merge(
        .run(Observable.just(.number(1)).delay(.seconds(60), scheduler: EffectContext.clock)),
        .run { effect in
          try await EffectContext.sleep(.seconds(120))
          effect.onNext(.send(.number(2)))
        }
      )
    }
    #expect(counts(screen, [59_000, 1_000, 59_000, 1_000]) == [0, 1, 1, 2])
  }

  @Test func `an interval effect runs a given effect at each tick`() {
    let screen = screen {
      .interval(
        .merge(.send(.number(1)), .run { $0.onNext(.send(.number(2))) }),
        period: .seconds(1)
      )
    }
    _ = counts(screen, [1_000])
    #expect(screen.composer.state.log == ["number(1)", "number(2)"])
  }

  @Test func `send after a delay sends once, on the composer's clock`() {
    let screen = screen { .send(.tick, after: .seconds(2)) }
    #expect(counts(screen, [1_999, 1, 60_000]) == [0, 1, 1])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `the delay of send begins when the effect starts`() {
    let screen = screen {
      .concatenate(.send(.tick, after: .seconds(2)), .send(.other, after: .seconds(3)))
    }
    #expect(counts(screen, [2_000, 2_999, 1]) == [1, 1, 2])
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 18])
  func `an effect after more than 292 years never starts`(delay: Duration) {
    for effect in [
      .send(.tick, after: delay), .timer(.send(.tick), dueTime: delay, period: delay),
      .interval(.send(.tick), period: delay), .send(.tick).debounce(id: 1, for: delay),
      .run { effect in
        try await EffectContext.sleep(delay)
        effect.onNext(.send(.tick))
      },
    ] as [Observable<Effect<ClosureComposer.Action>>] {
      #expect(counts(screen { effect }, [60_000]) == [0])
    }
    let polling = screen { .poll(.send(.tick), every: delay, jitter: .upTo(0.5)) }
    #expect(counts(polling, [60_000]) == [1])
    let throttled = screen { .send(.tick).throttle(id: 1, for: delay) }
    #expect(counts(throttled, [60_000]) == [1])
  }

  @Test func `an interval effect ticks each minute for ten hours of virtual time`() {
    let screen = screen { .interval(.send(.tick), period: .seconds(60)) }
    #expect(counts(screen, [10 * 3_600 * 1_000]) == [600])
  }
}
