import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct LockTests {
  @Test func `a Locked value is accessed by one thread at a time`() {
    let count = Locked(0)
    onThreads(4) { _ in for _ in 0..<5_000 { count.withLock { $0 += 1 } } }
    #expect(count.withLock { $0 } == 20_000)
  }

  @Test func `Locked.replace returns the previous value`() {
    let value = Locked("a")
    #expect(value.replace(with: "b") == "a")
    #expect(value.withLock { $0 } == "b")
  }
}
