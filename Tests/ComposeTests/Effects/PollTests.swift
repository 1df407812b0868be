import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Polling", .workerPool)
struct PollTests {
  let diary = EventRecorder<Double>()

  /// A screen that polls by `effect`, and the time in which each run begins.
  func screen(
    _ time: VirtualTime,
    _ effect:
      @escaping (Observable<Effect<ClosureComposer.Action>>) -> Observable<
        Effect<ClosureComposer.Action>
      >, run: @escaping @Sendable () async throws -> Void = {}
  ) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { [diary] _, state, action in
          switch action {
          case .go:
            return effect(
              .run { effect in
                diary.append(time.elapsed)
                try await run()
                effect.onNext(.send(.tick))
              })
          case .stop: return .cancel(id: "poll")
          default:
            state.log.append("\(action)")
            return .none
          }
        })
    }
  }

  @Test func `a poll runs at once, and again an interval after the end of each run`() {
    let time = VirtualTime()
    let screen = screen(time) {
      .poll($0, every: .seconds(10))
    } run: {
      try await EffectContext.sleep(.seconds(3))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(30))
    #expect(diary.events == [0, 13, 26])
    #expect(screen.composer.state.log.count == 3)
  }

  @Test(arguments: [(UInt64.min, 10.0), (.max, 12.5)])
  func `jitter lengthens each interval by a share that is drawn from the random source`(
    drawn: UInt64, interval: Double
  ) {
    let time = VirtualTime { $0.random = RandomSource { drawn } }
    let screen = screen(time) { .poll($0, every: .seconds(10), jitter: .upTo(0.25)) }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(26))
    #expect(diary.events == [0, interval, 2 * interval])
  }

  @Test func `polls of different random sources spread, and a test repeats its own`() {
    func times(seed: UInt64) -> [Double] {
      let (time, times) = (VirtualTime { $0.random = .seeded(seed) }, EventRecorder<Double>())
      let screen = time.run {
        Screen(
          ClosureComposer { _, _, action in
            if action == .go { return .poll(.send(.tick), every: .seconds(10), jitter: .full) }
            times.append(time.elapsed)
            return .none
          })
      }
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(60))
      return times.events
    }
    #expect(times(seed: 1) == times(seed: 1))
    #expect(times(seed: 1) != times(seed: 2))
    #expect(times(seed: 1).count > 6)
  }

  @Test func `a poll that is cancelled between two runs does not run again`() {
    let time = VirtualTime()
    let screen = screen(time) { .poll($0, every: .seconds(10)).cancellable(id: "poll") }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(15))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(60))
    #expect(diary.events == [0, 10])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `a poll ends with the first error, and goes on when the error is caught or retried`() {
    for (isRetried, isCaught, times) in [
      (false, false, [0]), (false, true, [0, 10, 20]), (true, false, [0, 1, 11, 21]),
    ] as [(Bool, Bool, [Double])] {
      let (time, diary) = (VirtualTime(), EventRecorder<Double>())
      let screen = time.run {
        Screen(
          ClosureComposer { _, _, action in
            guard action == .go else { return .none }
            var load = Observable<Effect<ClosureComposer.Action>>.run { _ in
              diary.append(time.elapsed)
              if diary.count == 1 { throw Failure() }
            }
            if isRetried { load = load.retry(.fixed(.seconds(1))) }
            if isCaught { load = load.catch { _ in .send(.other) } }
            return .poll(load, every: .seconds(10))
          })
      }
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(25))
      #expect(diary.events == times)
      #expect(screen.composer.failures.count == (isRetried || isCaught ? 0 : 1))
    }
  }

  @Test func `a poll without an interval waits for a millisecond`() {
    let time = VirtualTime()
    for interval in [Duration.zero, .seconds(-1), .microseconds(1)] {
      let screen = screen(time) { _ in .poll(.send(.tick), every: interval) }
      screen.composer.action.accept(.go)
      time.advance(by: .milliseconds(10))
      #expect(screen.composer.state.log.count == 11)
    }
  }

  @Test(arguments: [Backoff.Jitter.upTo(-5), .upTo(.nan), .full])
  func `jitter does not shorten an interval below a millisecond`(jitter: Backoff.Jitter) {
    let time = VirtualTime { $0.random = RandomSource { .min } }
    let screen = screen(time) { _ in .poll(.send(.tick), every: .milliseconds(5), jitter: jitter) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(10))
    #expect(screen.composer.state.log.count == (jitter == .full ? 11 : 3))
  }

  @Test func `a poll of ten thousand runs needs no deep stack and keeps nothing`() {
    let time = VirtualTime()
    let screen = screen(time) { _ in .poll(.send(.tick), every: .seconds(1)) }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10_000))
    #expect(screen.composer.state.log.count == 10_001)
    #expect(screen.composer.disposeBag.count == 1)
  }

  /// Polls while it is shown.
  final class Prices: Composer {
    enum Action { case shown(Bool), loaded }
    struct State: Equatable { var isShown = false, loads = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .shown(let isShown): state.isShown = isShown
      case .loaded: state.loads += 1
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if state.isShown { StateEffect(id: "prices") { .poll(.send(.loaded), every: .seconds(30)) } }
    }
  }

  @Test func `a poll that the state declares pauses while the screen is hidden`() {
    let time = VirtualTime()
    let screen = time.run { Screen(Prices()) }
    let loads = [(true, 40), (false, 300), (true, 0), (true, 29), (true, 1)].map { step in
      screen.composer.action.accept(.shown(step.0))
      time.advance(by: .seconds(step.1))
      return screen.composer.state.loads
    }
    #expect(loads == [2, 2, 3, 3, 4])
  }

  /// A list of prices.
  final class Table: Composer {
    final class Row: Composer {
      enum Action { case shown(Bool), loaded }
      struct State: Equatable, Identifiable {
        let id: Int
        var isShown = true, loads = 0
      }
      @ComposableState var state = State(id: 0)
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      private let token: LiveToken

      init(_ alive: LiveCount) { token = LiveToken(alive) }

      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .shown(let isShown): state.isShown = isShown
        case .loaded: state.loads += 1
        }
        return .none
      }

      func stateEffects(_ state: State) -> [StateEffect<Action>] {
        if state.isShown { StateEffect(id: "price") { .poll(.send(.loaded), every: .seconds(10)) } }
      }
    }

    enum Action { case row(Int, Row.Action), delete(Int) }
    struct State: Equatable {
      var rows: IdentifiedArray<Row.State> = [Row.State(id: 1), Row.State(id: 2)]
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let rows: Children<State, Action, Int, Row>

    init(_ alive: LiveCount) { rows = Children(\State.rows, Action.row) { Row(alive) } }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .delete(let id): state.rows[id: id] = nil
      }
      return .none
    }
  }

  @Test func `each row polls while it is shown, until it is deleted`() {
    let (time, alive) = (VirtualTime(), LiveCount())
    let screen = time.run { Screen(Table(alive)) }
    func loads(after seconds: Int) -> [Int] {
      time.advance(by: .seconds(seconds))
      return screen.composer.state.rows.map(\.loads)
    }
    #expect(loads(after: 25) == [3, 3])
    screen.composer.action.accept(.row(1, .shown(false)))
    #expect(loads(after: 30) == [3, 6])
    screen.composer.action.accept(.row(1, .shown(true)))
    #expect(loads(after: 10) == [5, 7])
    screen.composer.action.accept(.delete(2))
    #expect(alive.count == 1)
    #expect(loads(after: 20) == [7])
  }

  @Test func `a poll that is cancelled in the middle of a run ends the run and is released`() {
    let (time, alive) = (VirtualTime(), LiveCount())
    let screen = time.run {
      Screen(
        ClosureComposer { _, _, action in
          if action == .stop { return .cancel(id: "poll") }
          guard action == .go else { return .none }
          let token = LiveToken(alive)
          return .poll(
            .merge(.send(.tick), .run { _ in try await EffectContext.sleep(.seconds(3)) })
              .do(onDispose: { _ = token }), every: .seconds(10)
          ).cancellable(id: "poll")
        })
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    #expect(alive.count == 1)
    screen.composer.action.accept(.stop)
    time.settle()
    #expect(alive.count == 0)
    #expect(screen.composer.disposeBag.count == 0)
  }
}
