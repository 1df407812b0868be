import Compose
import ReactiveTesting
import Testing

final class Stopwatch: Composer {
  enum Action { case start, stop, tick }
  struct State: Equatable { var seconds = 0, isRunning = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start:
      state.isRunning = true
      return .interval(.send(.tick), period: .seconds(1))
        .cancellable(id: "ticks", whenBusy: .ignore)
    case .stop:
      state.isRunning = false
      return .cancel(id: "ticks")
    case .tick: state.seconds += 1
    }
    return .none
  }
}

@MainActor
@Suite("The tutorial's stopwatch")
struct StopwatchTests {
  @MainActor
  final class Screen {
    @Compose var composer = Stopwatch()
  }

  @Test func `stops and starts`() {
    let time = VirtualTime()
    let screen = time.run { Screen() }
    let stopwatch = screen.composer
    stopwatch.action.accept(.start)
    stopwatch.action.accept(.start)
    time.advance(by: .milliseconds(2_500))
    #expect(stopwatch.state == Stopwatch.State(seconds: 2, isRunning: true))
    stopwatch.action.accept(.stop)
    time.advance(by: .seconds(3_600))
    #expect(stopwatch.state == Stopwatch.State(seconds: 2, isRunning: false))
    stopwatch.action.accept(.start)
    time.advance(by: .seconds(1))
    #expect(stopwatch.state == Stopwatch.State(seconds: 3, isRunning: true))
  }
}
