import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct HeapTests {
  @Test func `a heap returns its elements in order`() {
    var heap = Heap<Int>()
    var seed: UInt64 = 7
    var mirror: [Int] = []
    for _ in 0..<2_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1
      let element = Int(seed >> 40) % 500
      heap.insert(element, by: <)
      mirror.append(element)
    }
    heap.removeAll(where: { $0 % 3 == 0 }, by: <)
    #expect(heap.count == mirror.filter { $0 % 3 != 0 }.count)
    mirror.removeAll { $0 % 3 == 0 }
    heap.replaceFirst(with: 250, by: <)
    mirror.sort()
    mirror[0] = 250
    mirror.sort()
    var popped: [Int] = []
    while let element = heap.popFirst(by: <) { popped.append(element) }
    #expect(popped == mirror)
  }
}
