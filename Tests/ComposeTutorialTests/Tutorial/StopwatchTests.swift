import Compose
import ReactiveTesting
import TestSupport
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

@Suite("The tutorial's stopwatch", .workerPool)
struct StopwatchTests {
  @Test func `a stopwatch stops and starts`() {
    let test = TestComposer(Stopwatch())
    test.send(.start) { $0.isRunning = true }
    test.send(.start)
    test.expect("-tt", ["t": .tick]) { $0.seconds = 2 }
    test.send(.stop) { $0.isRunning = false }
    test.expect("|----", [:])
    test.send(.start) { $0.isRunning = true }
    test.expect("-t", ["t": .tick]) { $0.seconds = 3 }
    test.send(.stop) { $0.isRunning = false }
    test.finish()
  }
}
