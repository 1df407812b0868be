import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct LoopTimerTests {
  @Test func `timers fire in the order of their deadlines`() async throws {
    try await withLoop { loop in
      let fired = Watched<[Int]>([])
      for delay in [30, 10, 20, 0] {
        loop.schedule(after: .milliseconds(delay)) { fired.update { $0.append(delay) } }
      }
      await fired.wait { $0.count == 4 }
      #expect(fired.value == [0, 10, 20, 30])
    }
  }

  @Test func `a timer is never early and wakes a sleeping loop`() async throws {
    try await withLoop { loop in
      await loop.settle()
      let start = ContinuousClock.now
      let elapsed = Watched<Duration?>(nil)
      loop.schedule(after: .milliseconds(25)) {
        elapsed.update { $0 = ContinuousClock.now - start }
      }
      await elapsed.wait { $0 != nil }
      let measured = try #require(elapsed.value)
      #expect(measured >= .milliseconds(25))
    }
  }

  @Test func `a cancelled timer never fires and releases its action at once`() async throws {
    try await withLoop { loop in
      weak var probe: Watched<Int>?
      let timer: LoopTimer
      do {
        let retained = Watched(0)
        probe = retained
        timer = loop.schedule(after: .seconds(3_600)) { retained.update { $0 += 1 } }
      }
      #expect(probe != nil)
      timer.cancel()
      #expect(probe == nil)
      timer.cancel()
    }
  }

  @Test func `a timer that a stopped loop refuses releases its action at once`() throws {
    let loop = try EventLoop(name: "stopped")
    loop.stop()
    weak var probe: Watched<Int>?
    let timer: LoopTimer
    do {
      let retained = Watched(0)
      probe = retained
      timer = loop.schedule(after: .zero) { retained.update { $0 += 1 } }
    }
    #expect(probe == nil)
    timer.cancel()
    withExtendedLifetime(timer) {}
  }

  @Test func `a pending timer releases its action when its loop stops`()
    throws
  {
    let loop = try EventLoop(name: "to be stopped")
    weak var probe: Watched<Int>?
    let timers: [LoopTimer]
    do {
      let retained = Watched(0)
      probe = retained
      timers = (0..<3).map { _ in
        loop.schedule(after: .seconds(3_600)) { retained.update { $0 += 1 } }
      }
    }
    timers[1].cancel()
    #expect(probe != nil)
    loop.stop()
    #expect(probe == nil)
    for timer in timers { timer.cancel() }
  }

  @Test func `a timer cancelled by another of the same moment does not fire`() async throws {
    try await withLoop { loop in
      let fired = Watched<[Int]>([])
      loop.execute {
        let second = Locked<LoopTimer?>(nil)
        loop.schedule(after: .zero) {
          fired.update { $0.append(1) }
          second.withLock { $0 }?.cancel()
        }
        let timer = loop.schedule(after: .zero) { fired.update { $0.append(2) } }
        second.withLock { $0 = timer }
        loop.schedule(after: .milliseconds(1)) { fired.update { $0.append(3) } }
      }
      await fired.wait { $0.last == 3 }
      #expect(fired.value == [1, 3])
    }
  }

  @Test func `ten thousand timers fire in order, without the cancelled half`() async throws {
    try await withLoop { loop in
      let fired = Watched<[Int]>([])
      loop.execute {
        let timers = (0..<10_000).map { number in
          loop.schedule(after: .milliseconds(20)) { fired.update { $0.append(number) } }
        }
        for (number, timer) in timers.enumerated() where number % 2 == 1 { timer.cancel() }
      }
      await fired.wait { $0.count >= 5_000 }
      await loop.settle()
      let isInOrder = fired.value == Array(stride(from: 0, to: 10_000, by: 2))
      #expect(isInOrder)
    }
  }

  @Test func `a timer that renews itself does not delay other timers`() async throws {
    try await withLoop { loop in
      let isStopped = Locked(false)
      @Sendable func renew() {
        if isStopped.withLock({ !$0 }) { loop.schedule(after: .zero) { renew() } }
      }
      renew()
      await loop.settle(turns: 100)
      isStopped.withLock { $0 = true }
    }
  }
}
