import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Effects that start again", .workerPool)
struct RestartTests {
  typealias Work = Observable<Effect<ClosureComposer.Action>>

  let time = VirtualTime()

  nonisolated static let replacing: [@Sendable (Work) -> Work] = [
    { $0.latest(id: 1) }, { $0.debounce(id: 1, for: .milliseconds(100)) },
    { $0.cancellable(id: 1, whenBusy: .replace) },
  ]
  nonisolated static let identifying = replacing + [{ $0.cancellable(id: 1) }]

  /// Each `go` starts the effect of `effect` with the next number, from 1 on, `stop` cancels the id 1,
  /// and other actions are logged.
  func screen(_ effect: @escaping (Int) -> Work) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go:
            state.count += 1
            return effect(state.count)
          case .stop: return .cancel(id: 1)
          default:
            state.log.append("\(action)")
            return .none
          }
        })
    }
  }

  /// Work that sends its number a second after its start; the first attempt of number 1 fails.
  func load(_ number: Int, _ attempts: EventRecorder<Int> = EventRecorder()) -> Work {
    .run { effect in
      attempts.append(number)
      if number == 1, attempts.count == 1 { throw Failure() }
      try await EffectContext.sleep(.seconds(1))
      effect.onNext(.send(.number(number)))
    }
  }

  @Test(arguments: replacing.indices)
  func `no result of an older effect is reduced when a retry starts the effect again`(way: Int) {
    let screen = screen { Self.replacing[way](load($0)).retry(.fixed(.seconds(2))) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(2)"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test(arguments: identifying.indices)
  func `an effect that is cancelled while it waits for its next attempt does not run again`(
    way: Int
  ) {
    let screen = screen {
      .concatenate(Self.identifying[way](load($0)).retry(.fixed(.seconds(2))), .send(.other))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["other"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test(arguments: identifying.indices)
  func `a retry starts an effect again while no newer one replaces it`(way: Int) {
    let screen = screen { Self.identifying[way](load($0)).retry(.fixed(.seconds(2))) }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(1)"])
  }

  @Test func `a retry starts an effect again beside a newer one that does not replace it`() {
    let screen = screen { load($0).cancellable(id: 1).retry(.fixed(.seconds(2))) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(2)", "number(1)"])
  }

  @Test(arguments: identifying.indices)
  func `an effect that waits for its next attempt is started again by a new action`(way: Int) {
    let attempts = EventRecorder<Int>()
    let screen = screen { _ in
      Self.identifying[way](load(1, attempts)).retry(.fixed(.seconds(2)))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    screen.composer.action.accept(.stop)
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["number(1)"])
  }

  @Test(arguments: identifying.indices)
  func `a poll runs its effect again after a run that was cancelled or has completed`(way: Int) {
    let screen = screen { _ in .poll(Self.identifying[way](load(2)), every: .seconds(10)) }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(29))
    #expect(screen.composer.state.log == ["number(2)", "number(2)"])
  }

  @Test func `a poll misses one run when its effect is cancelled after a failure`() {
    let screen = screen { number in
      .poll(load(number).latest(id: 1).catch { _ in .none }, every: .seconds(10))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(18))
    #expect(screen.composer.state.log == [])
    time.advance(by: .seconds(3))
    #expect(screen.composer.state.log == ["number(1)"])
  }
}
