import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct StatefulOperatorTests {
  @Test func `element(at:) counts separately for each subscription`() {
    let second = Observable.of(1, 2, 3).element(at: 1)
    #expect(second.recorded() == "2 |")
    #expect(second.recorded() == "2 |")
  }

  @Test func `reduce emits an error that mapResult throws at completion`() {
    let failing = Observable.of(1, 2).reduce(0, accumulator: { $0 + $1 }) { _ -> Int in
      throw TestError.any
    }
    #expect(failing.materialize().map { $0.error != nil }.recorded() == "true |")
  }
}
