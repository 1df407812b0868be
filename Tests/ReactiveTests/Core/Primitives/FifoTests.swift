import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct FifoTests {
  @Test func `a Fifo keeps its order when it grows and wraps`() {
    var fifo = Fifo<Int>()
    var mirror: [Int] = []
    var next = 0
    for round in 0..<500 {
      for _ in 0..<(round % 7) {
        fifo.append(next)
        mirror.append(next)
        next += 1
      }
      for _ in 0..<(round % 5) {
        #expect(fifo.popFirst() == (mirror.isEmpty ? nil : mirror.removeFirst()))
      }
      #expect((0..<fifo.count).map { fifo[$0] } == mirror)
      #expect(fifo.first == mirror.first && fifo.last == mirror.last && fifo.count == mirror.count)
    }
  }

  @Test func `Fifo.replaceFirst returns the first element and replaces it`() {
    var fifo = Fifo<Int>()
    fifo.append(1)
    fifo.append(2)
    #expect(fifo.replaceFirst(with: 3) == 1)
    #expect((0..<fifo.count).map { fifo[$0] } == [3, 2])
  }

  @Test func `a Fifo releases popped elements`() {
    var fifo = Fifo<Token>()
    #expect(
      isReleased {
        fifo.append($0)
        fifo.append(Token())
        _ = fifo.popFirst()
      }
    )
    fifo.removeAll()
    #expect(fifo.isEmpty)
  }
}
