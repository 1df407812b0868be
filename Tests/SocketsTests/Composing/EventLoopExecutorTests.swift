import Compose
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@Suite("A composer on the loop's thread", .workerPool)
struct EventLoopExecutorTests {
  final class Counter: Composer {
    struct State { var count = 0, isOnLoop = true }
    @ComposableState var state = State()
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
      state.count += 1
      if !EventLoop.shared.isCurrent { state.isOnLoop = false }
      return action > 0 ? .send(action - 1) : .none
    }
  }

  @Test func `an action that is sent on the loop's thread is reduced at once`() async throws {
    let composed = Composed(sending: Counter(), on: .socketLoop)
    composed.send(1)
    for try await state in composed.states.values where state.count == 2 { break }
    let count = await withCheckedContinuation { continuation in
      EventLoop.shared.execute {
        composed.send(7)
        continuation.resume(returning: composed.state.count)
      }
    }
    #expect(count == 10)
    #expect(composed.state.isOnLoop)
  }
}
