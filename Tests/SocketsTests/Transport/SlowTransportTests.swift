import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct SlowTransportTests {
  private let time = VirtualTime()

  /// A connection whose near end is slowed down by a second.
  private struct Slowed {
    let loop: EventLoop
    let near: TransportRecorder
    let slow: SlowTransport
    let far: TransportRecorder

    func write(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { slow.write($0) } }

    /// Lets the loop handle what has happened.
    func settle() async { await loop.settle(turns: 10) }
  }

  private func withSlowed(
    isReading: Bool = true, _ body: (Slowed) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let ends = MemoryTransport.pair(loop: loop)
      let (near, far) = (TransportRecorder(ends.0), TransportRecorder(ends.1))
      await near.start()
      await far.start()
      let slow = SlowTransport(
        ends.0, for: near, isReading: isReading,
        clock: LoopClock(loop: loop, scheduler: time.scheduler), delay: .seconds(1))
      loop.execute { slow.begin() }
      await loop.settle()
      try await body(Slowed(loop: loop, near: near, slow: slow, far: far))
    }
  }

  @Test func `both directions are delayed, each in its order`() async throws {
    try await withSlowed { ends in
      ends.far.send([1, 2])
      #expect(ends.write([11]) == 1)
      await ends.settle()
      time.advance(by: .milliseconds(400))
      ends.far.send([3])
      #expect(ends.write([12, 13]) == 2)
      await ends.settle()
      #expect(ends.near.log.value.received.isEmpty && ends.far.log.value.received.isEmpty)
      time.advance(by: .milliseconds(600))
      await ends.settle()
      #expect(ends.near.log.value.received == [1, 2])
      #expect(ends.far.log.value.received == [11])
      time.advance(by: .milliseconds(400))
      await ends.settle()
      #expect(ends.near.log.value.received == [1, 2, 3])
      #expect(ends.far.log.value.received == [11, 12, 13])
      #expect(ends.near.log.value.strayCalls == 0)
    }
  }

  @Test func `what is sent after the delay ended stays behind what waits`() async throws {
    try await withSlowed { ends in
      ends.far.send([1])
      #expect(ends.write([11]) == 1)
      await ends.settle()
      ends.slow.delay = .zero
      ends.far.send([2])
      #expect(ends.write([12]) == 1)
      await ends.settle()
      #expect(ends.near.log.value.received.isEmpty && ends.far.log.value.received.isEmpty)
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.received == [1, 2])
      #expect(ends.far.log.value.received == [11, 12])
      #expect(ends.write([13]) == 1)
      ends.far.send([3])
      await ends.settle()
      #expect(ends.near.log.value.received == [1, 2, 3])
      #expect(ends.far.log.value.received == [11, 12, 13])
    }
  }

  @Test func `the ends of the directions and of the connection are behind the bytes`() async throws
  {
    try await withSlowed { ends in
      ends.far.send([1])
      ends.far.transport.closeWriting()
      #expect(ends.write([11]) == 1)
      ends.slow.closeWriting()
      await ends.settle()
      #expect(ends.near.log.value.ended == 0 && ends.far.log.value.ended == 0)
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.received == [1] && ends.near.log.value.ended == 1)
      #expect(ends.far.log.value.received == [11] && ends.far.log.value.ended == 1)
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.closed.count == 1)
      #expect(ends.near.log.value.strayCalls == 0)
    }
  }

  @Test func `a close of this side does not wait, and drops what waits`() async throws {
    try await withSlowed { ends in
      ends.far.send([1])
      #expect(ends.write([11]) == 1)
      await ends.settle()
      ends.slow.close()
      await ends.settle()
      #expect(ends.near.log.value.closed.count == 1)
      #expect(ends.write([12]) == 0)
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.received.isEmpty && ends.far.log.value.received.isEmpty)
      #expect(ends.near.log.value.strayCalls == 0)
    }
  }

  @Test func `a close of this side is answered also when the peer's close waits`() async throws {
    try await withSlowed { ends in
      ends.far.transport.close()
      await ends.settle()
      #expect(ends.near.log.value.closed.isEmpty)
      ends.slow.close()
      await ends.settle()
      #expect(ends.near.log.value.closed.count == 1)
    }
  }

  @Test func `nothing is delivered while reading is paused, and all of it afterwards`() async throws
  {
    try await withSlowed { ends in
      ends.far.send([1])
      await ends.settle()
      ends.slow.setReading(false)
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.received.isEmpty)
      ends.far.send([2])
      await ends.settle()
      ends.slow.setReading(true)
      await ends.settle()
      time.advance(by: .seconds(1))
      await ends.settle()
      #expect(ends.near.log.value.received == [1, 2])
    }
  }

  @Test func `a mebibyte waits in each direction, and no more`() async throws {
    try await withSlowed { ends in
      let bytes = pattern(3 << 20)
      #expect(ends.write(bytes) == 1 << 20)
      #expect(ends.write([1]) == 0)
      ends.far.send(bytes)
      await ends.settle()
      // What the memory transport holds is read until the queue is full.
      let sent = await ends.loop.stableCount { ends.far.sent }
      #expect(sent < 2 << 20)
      time.advance(by: .seconds(1))
      await ends.far.log.wait { $0.received.count == 1 << 20 }
      expectSame(ends.far.log.value.received, Array(bytes[..<(1 << 20)]))
      #expect(ends.near.log.value.writable > 0)
      #expect(ends.write([1]) == 1)
      while ends.near.log.value.received.count < bytes.count {
        await ends.settle()
        time.advance(by: .seconds(1))
      }
      expectSame(ends.near.log.value.received, bytes)
    }
  }
}
