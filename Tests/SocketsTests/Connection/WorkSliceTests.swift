import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("The work slice of a connection", .workerPool) struct WorkSliceTests {
  @Test func `a work slice reads the clock after 1, 2, 4, 8, 16, 32 units, then every 32`() {
    var slice = WorkSlice()
    var looks: [Int] = []
    for unit in 1...128 {
      let isSpent = slice.isSpent(afterLongUnit: false) {
        looks.append(unit)
        return 0
      }
      #expect(!isSpent)
    }
    #expect(looks == [1, 2, 4, 8, 16, 32, 64, 96, 128])
  }

  @Test func `a work slice ends 150 us after it first read the clock`() {
    var slice = WorkSlice()
    // The clock is not read after the third unit.
    let times: [UInt64] = [1_000_000, 1_149_999, 2_000_000, 1_150_000]
    let spent = times.map { time in slice.isSpent(afterLongUnit: false) { time } }
    #expect(spent == [false, false, false, true])
  }

  @Test func `a work slice reads the clock after each long unit`() {
    var slice = WorkSlice()
    var looks = 0
    for _ in 0..<10 {
      _ = slice.isSpent(afterLongUnit: true) {
        looks += 1
        return MonotonicClock.now
      }
    }
    #expect(looks == 10)
  }
}

@Suite("Fair jobs of a loop", .workerPool) struct FairJobsTests {
  @Test func `fair jobs run in order, and a repeated job waits for the next turn`() async throws {
    try await withLoop { loop in
      let log = Watched<[String]>([])
      @Sendable func again(_ name: String, _ times: Int) {
        loop.executeFairly {
          log.update { $0.append("\(name)\(times)") }
          if times > 1 { again(name, times - 1) }
        }
      }
      await loop.run {
        again("a", 3)
        again("b", 3)
        loop.endOfTurn { log.update { $0.append("turn") } }
      }
      await log.wait { $0.count == 7 }
      #expect(log.value == ["turn", "a3", "b3", "a2", "b2", "a1", "b1"])
    }
  }

  @Test func `fair jobs give the rest of a turn to other work after 2 ms`() async throws {
    try await withLoop { loop in
      let log = Watched<[Int]>([])
      let turn = Locked(0)
      await loop.run {
        for _ in 0..<4 {
          loop.executeFairly {
            let end = MonotonicClock.now + 3_000_000
            while MonotonicClock.now < end {}
            log.update { $0.append(turn.withLock { $0 }) }
            loop.endOfTurn { turn.withLock { $0 += 1 } }
          }
        }
      }
      await log.wait { $0.count == 4 }
      #expect(log.value == [0, 1, 2, 3])
    }
  }
}
