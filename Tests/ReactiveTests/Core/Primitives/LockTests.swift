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

  @Test func `a lock is released after a throw`() {
    let value = Locked(0)
    #expect(throws: TestError.self) {
      try value.withLock { (_: inout Int) throws(TestError) -> Void in throw TestError.any }
    }
    #expect(value.withLock { $0 } == 0)
    let lock = Lock()
    #expect(throws: TestError.self) {
      try lock.withLock { () throws(TestError) -> Void in throw TestError.any }
    }
    let isFree = lock.withLock { true }
    #expect(isFree)
  }
}
