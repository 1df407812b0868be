import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct StatefulOperatorTests {
  @Test func `each subscription has a state of its own`() {
    let second = Observable.of(1, 2, 3).element(at: 1)
    #expect(second.written() == "2 |")
    #expect(second.written() == "2 |")
  }

  @Test func `an error thrown at the completion is the end`() {
    let failing = Observable.of(1, 2).reduce(0, accumulator: { $0 + $1 }) { _ -> Int in
      throw TestError.any
    }
    #expect(failing.materialize().map { $0.error != nil }.written() == "true |")
  }
}
