import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Cancelling by an id", .workerPool)
struct CancelByIDTests {
  enum ID { case work, other }

  let time = VirtualTime()

  /// `go` starts the effect of `effect`, `stop` cancels `ID.work`, `number` and `other` are logged.
  func screen(
    _ effect: @escaping @Sendable (Int) -> Observable<Effect<ClosureComposer.Action>>
  ) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go:
            state.count += 1
            return effect(state.count)
          case .stop: return .cancel(id: ID.work)
          default:
            state.log.append("\(action)")
            return .none
          }
        }
      )
    }
  }

  nonisolated func ticks(_ number: Int) -> Observable<Effect<ClosureComposer.Action>> {
    .interval(.send(.number(number)), period: .seconds(1))
  }

  @Test func `cancelling an id ends its running effect, and a concatenated effect starts`() {
    let screen = screen { .concatenate(ticks($0).cancellable(id: ID.work), .send(.other)) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(1)", "other"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `cancelling an id does not end effects of other ids`() {
    let screen = screen { ticks($0).cancellable(id: ID.other) }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["number(1)"])
  }

  @Test func `two effects of one id run together and end together`() {
    let screen = screen { ticks($0).cancellable(id: ID.work) }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["number(1)", "number(2)"])
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log.count == 2)
  }

  @Test(arguments: [true, false])
  func `a new effect replaces the running one of its id`(isShort: Bool) {
    let screen = screen {
      isShort
        ? ticks($0).cancellable(id: ID.work, cancelInFlight: true)
        : ticks($0).cancellable(id: ID.work, whenBusy: .replace)
    }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(500))
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["number(2)"])
    #expect(screen.composer.disposeBag.count == 1)
  }

  @Test func `a new effect is ignored while one of its id runs`() {
    let screen = screen { ticks($0).take(1).cancellable(id: ID.work, whenBusy: .ignore) }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.log == ["number(1)"])
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.log == ["number(1)", "number(3)"])
  }

  @Test func `a cancelled effect that has not started does not start`() {
    let screen = screen { number in
      .concatenate(
        ticks(-number).take(1),
        ticks(number).cancellable(id: ID.work),
        .send(.other)
      )
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(-1)", "other"])
  }

  @Test(arguments: [false, true])
  func `an effect that is returned after the cancellation of its id starts`(areMerged: Bool) {
    let screen = screen { number in
      areMerged
        ? .merge(.cancel(id: ID.work), ticks(number).cancellable(id: ID.work))
        : .concatenate(.cancel(id: ID.work), ticks(number).cancellable(id: ID.work))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(500))
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["number(2)"])
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(2)"])
  }

  @Test func `an effect that is returned before the cancellation of its id runs until then`() {
    let screen = screen { number in
      .concatenate(
        ticks(number).take(1).cancellable(id: ID.work), .cancel(id: ID.work), .send(.other)
      )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.log == ["number(1)", "other"])
  }

  @Test func `a repeated cancellation ends the effects that were created since`() {
    let screen = screen { number in
      number == 1
        ? .timer(.cancel(id: ID.work), dueTime: .seconds(10), period: .seconds(10))
        : .concatenate(
          ticks(-number).delaySubscription(.seconds(12), scheduler: EffectContext.clock).take(1),
          ticks(number).cancellable(id: ID.work)
        )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(12))
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(30))
    #expect(screen.composer.state.log == ["number(-2)"])
  }

  @Test func `an effect of a timer starts again after it was cancelled`() {
    let screen = screen { number in
      .timer(
        ticks(number).take(1).cancellable(id: ID.work),
        dueTime: .seconds(10),
        period: .seconds(10)
      )
    }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(10_500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(11))
    #expect(screen.composer.state.log == ["number(1)"])
  }

  @Test func `an effect of a timer that is cancelled before its first start never starts`() {
    let screen = screen { number in
      .timer(
        ticks(number).take(1).cancellable(id: ID.work),
        dueTime: .seconds(10),
        period: .seconds(10)
      )
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log.isEmpty)
  }

  @Test func `each composer has its own ids`() {
    let (first, second) = (
      screen { ticks($0).cancellable(id: ID.work) }, screen { ticks($0).cancellable(id: ID.work) }
    )
    for screen in [first, second] { screen.composer.action.accept(.go) }
    first.composer.action.accept(.stop)
    time.advance(by: .milliseconds(1_500))
    #expect(first.composer.state.log.isEmpty)
    #expect(second.composer.state.log == ["number(1)"])
  }

  @Test func `an effect without a composer runs, and cancelling has no effect`() {
    typealias Effects = Observable<Effect<ClosureComposer.Action>>
    let received = EventRecorder<String>()
    _ = Effects.concatenate(.cancel(id: ID.work), .cancelAll, .send(.go))
      .cancellable(id: ID.work)
      .throttle(id: ID.work, for: .seconds(1))
      .subscribe { received.append("\($0)") }
    #expect(received.events == ["next(send(ComposeTests.ClosureComposer.Action.go))", "completed"])
  }

  @Test func `an effect that cancels its own id ends`() {
    let screen = screen { number in
      .concatenate(.send(.number(number)), .cancel(id: ID.work), .send(.other))
        .cancellable(id: ID.work)
    }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["number(1)"])
    #expect(screen.composer.disposeBag.count == 0)
  }
}

@MainActor
@Suite("Debounced and throttled effects", .workerPool)
struct DebouncedEffectTests {
  let time = VirtualTime()

  func screen(
    _ limit:
      @escaping @Sendable (Observable<Effect<ClosureComposer.Action>>) -> Observable<
        Effect<ClosureComposer.Action>
      >
  ) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go:
            state.count += 1
            return limit(.send(.number(state.count)))
          case .stop: return .cancel(id: 1)
          default:
            state.log.append("\(action)")
            return .none
          }
        }
      )
    }
  }

  func send(_ count: Int, every milliseconds: Int, to screen: Screen<ClosureComposer>) {
    for _ in 0..<count {
      screen.composer.action.accept(.go)
      time.advance(by: .milliseconds(milliseconds))
    }
  }

  @Test func `debounce starts the last effect after an interval without another`() {
    let screen = screen { $0.debounce(id: 1, for: .seconds(1)) }
    send(5, every: 300, to: screen)
    #expect(screen.composer.state.log.isEmpty)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["number(5)"])
  }

  @Test func `a debounced effect can be cancelled before it starts`() {
    let screen = screen { $0.debounce(id: 1, for: .seconds(1)) }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log.isEmpty)
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `throttle starts the first at once and the last at the interval's end`() {
    let screen = screen { $0.throttle(id: 1, for: .seconds(1)) }
    send(5, every: 300, to: screen)
    // The effect of 0 ms starts at once; of 300, 600 and 900 ms the last starts at 1000 ms; that of
    // 1200 ms starts at 2000 ms.
    #expect(screen.composer.state.log == ["number(1)", "number(4)"])
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["number(1)", "number(4)", "number(5)"])
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log.count == 3)
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `throttle without latest drops effects inside the interval`() {
    let screen = screen { $0.throttle(id: 1, for: .seconds(1), latest: false) }
    send(5, every: 300, to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(1)", "number(5)"])
  }

  @Test func `a running throttled effect is not ended by the next waiting one`() {
    let screen = screen { effect in
      .concatenate(
        effect, Observable.timer(.send(.tick), dueTime: .seconds(10), period: .seconds(60)).take(1)
      )
      .throttle(id: 1, for: .seconds(1))
    }
    for _ in 0..<3 {
      screen.composer.action.accept(.go)
      time.advance(by: .milliseconds(700))
    }
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log.count { $0 == "tick" } == 3)
  }

  @Test func `a throttled effect that waits can be cancelled, and the interval with it`() {
    let screen = screen { $0.throttle(id: 1, for: .seconds(10)) }
    send(2, every: 0, to: screen)
    screen.composer.action.accept(.stop)
    send(1, every: 0, to: screen)
    #expect(screen.composer.state.log == ["number(1)", "number(3)"])
    time.advance(by: .seconds(60))
    #expect(screen.composer.state.log.count == 2)
  }

  @Test func `a waiting throttled effect is replaced by one that starts after the interval`() {
    let screen = screen { $0.throttle(id: 1, for: .seconds(1)) }
    let action = screen.composer.action
    // Due at the interval's end, before the waiting effect.
    let third = Observable<Int>.timer(.seconds(1), scheduler: time.scheduler)
      .subscribe(onNext: { _ in action.accept(.go) })
    send(2, every: 500, to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(1)", "number(3)"])
    #expect(screen.composer.disposeBag.count == 0)
    third.dispose()
  }

  @Test(arguments: [EffectConflictPolicy.together, .replace, .ignore])
  func `an inner effect that conflicts with its own id never runs`(
    conflict: EffectConflictPolicy
  ) {
    let screen = screen {
      $0.cancellable(id: 1, whenBusy: conflict).debounce(id: 1, for: .seconds(1))
    }
    send(1, every: 10_000, to: screen)
    #expect(screen.composer.state.log == (conflict == .together ? ["number(1)"] : []))
  }

  @Test func `debounced inside and throttled by the same id, an effect never runs`() {
    let screen = screen {
      $0.debounce(id: 1, for: .seconds(1)).throttle(id: 1, for: .seconds(1))
    }
    send(1, every: 10_000, to: screen)
    #expect(screen.composer.state.log.isEmpty)
  }
}

@MainActor
@Suite("cancelAll", .workerPool)
struct CancelAllTests {
  let time = VirtualTime()

  func screen(
    _ stop: @escaping @Sendable () -> Observable<Effect<ClosureComposer.Action>>
  ) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go: return .interval(.send(.tick), period: .seconds(1))
          case .stop: return stop()
          default:
            state.log.append("\(action)")
            return .none
          }
        }
      )
    }
  }

  @Test func `cancelAll ends all effects, and effects returned with it run`() {
    let screen = screen {
      .concatenate(.cancelAll, .interval(.send(.other), period: .seconds(1)))
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["other"])
    #expect(screen.composer.disposeBag.count == 1)
  }

  @Test func `cancelAll inside an effect also ends that effect, after its actions`() {
    let screen = screen {
      .run(.error(Failure())) { _ in .concatenate(.cancelAll, .send(.other)) }
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["other"])
    #expect(screen.composer.disposeBag.count == 0)
  }
}
