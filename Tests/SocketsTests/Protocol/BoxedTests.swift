import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct BoxedTests {
  @Test func `a copy of a boxed value changes independently of the original`() {
    var first = Boxed<Int>()
    #expect(first.isNone && first.value == nil)
    first.value = 1
    var second = first
    second.value = 2
    #expect(first.value == 1 && second.value == 2)
    #expect(second.take() == 2 && second.isNone)
    #expect(first.take() == 1 && first.value == nil)
    #expect(first.take() == nil)
  }

  @Test func `a boxed value that is not shared is changed in place`() {
    var rare = Boxed<[Int]>()
    rare.value = [1]
    rare.value?.append(2)
    #expect(rare.value == [1, 2])
    let copy = rare
    rare.update { $0.append(3) }
    #expect(rare.value == [1, 2, 3] && copy.value == [1, 2])
    rare.value = nil
    rare.update { $0.append(4) }
    #expect(rare.isNone)
  }

  @Test func `an empty box takes one word`() {
    #expect(MemoryLayout<Boxed<(Int, Int, Int)>>.size == MemoryLayout<Int>.size)
  }
}
