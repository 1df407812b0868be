import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TimerHeapTests {
  @Test func `timers with equal deadlines keep the order of their insertion`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var heap = TimerHeap()
    let timers = (0..<100).map { _ in LoopTimer(loop: loop) {} }
    for timer in timers { heap.insert(timer, deadline: 5) }
    #expect(heap.popDue(now: 4) == nil)
    let popped = (0..<100).compactMap { _ in heap.popDue(now: 5)?.0 }
    #expect(popped.map(ObjectIdentifier.init) == timers.map(ObjectIdentifier.init))
  }

  @Test func `timers of any insertion order are sorted, also after compaction`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var heap = TimerHeap()
    var random = SystemRandomNumberGenerator()
    var expected: [UInt64] = []
    for round in 0..<10_000 {
      let deadline = UInt64.random(in: 0..<5_000, using: &random)
      let timer = LoopTimer(loop: loop) {}
      heap.insert(timer, deadline: deadline)
      if round % 3 == 0 {
        expected.append(deadline)
      } else {
        _ = timer.takeAction()
        heap.noteCancelled()
      }
    }
    // Cancelled timers are at most a quarter of the heap.
    #expect(heap.count <= expected.count * 4 / 3 + 1)
    var popped: [UInt64] = []
    while let deadline = heap.earliest() {
      popped.append(deadline)
      _ = heap.popDue(now: deadline)
    }
    let isSorted = popped == expected.sorted()
    #expect(isSorted)
  }
}
