import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct MemoryTransportTests {
  private func pair(
    _ loop: EventLoop,
    capacity: Int = 65_536,
    maximumDelivery: Int = .max
  ) async -> (TransportRecorder, TransportRecorder) {
    let ends = MemoryTransport.pair(
      loop: loop,
      capacity: capacity,
      maximumDelivery: maximumDelivery
    )
    let recorders = (TransportRecorder(ends.0), TransportRecorder(ends.1))
    await recorders.0.start()
    await recorders.1.start()
    return recorders
  }

  @Test func `a memory transport carries every byte both ways through small buffers`() async throws
  {
    try await withLoop { loop in
      let (first, second) = await pair(loop, capacity: 1_000)
      first.send(pattern(100_000, seed: 1))
      second.send(pattern(100_000, seed: 2))
      await first.log.wait { $0.received.count >= 100_000 }
      await second.log.wait { $0.received.count >= 100_000 }
      expectSame(first.log.value.received, pattern(100_000, seed: 2))
      expectSame(second.log.value.received, pattern(100_000, seed: 1))
      #expect(first.log.value.writable > 0)
      #expect(first.log.value.strayCalls + second.log.value.strayCalls == 0)
    }
  }

  @Test func `a delivery carries at most the maximum number of bytes`() async throws {
    try await withLoop { loop in
      let (first, second) = await pair(loop, maximumDelivery: 3)
      first.send(pattern(10))
      await second.log.wait { $0.received.count == 10 }
      expectSame(second.log.value.received, pattern(10))
      #expect(second.log.value.deliveries == 4)
    }
  }

  @Test func `a full buffer accepts part of a write, and paused reading delivers nothing`()
    async throws
  {
    try await withLoop { loop in
      let (first, second) = await pair(loop, capacity: 10)
      second.transport.setReading(false)
      await loop.settle()
      #expect(pattern(15).withUnsafeBytes { first.transport.write($0) } == 10)
      #expect(pattern(1).withUnsafeBytes { first.transport.write($0) } == 0)
      await loop.settle()
      #expect(second.log.value.received.isEmpty)
      #expect(first.log.value.writable == 0)
      second.transport.setReading(true)
      await first.log.wait { $0.writable == 1 }
      expectSame(second.log.value.received, pattern(10))
    }
  }

  @Test func `a half close follows the bytes and keeps the other direction open`() async throws {
    try await withLoop { loop in
      let (first, second) = await pair(loop, maximumDelivery: 1)
      first.send([1, 2])
      first.transport.closeWriting()
      await second.log.wait { $0.ended == 1 }
      #expect(second.log.value.received == [1, 2])
      second.send([3])
      await first.log.wait { $0.received == [3] }
      second.transport.closeWriting()
      await first.log.wait { $0.isClosed }
      await second.log.wait { $0.isClosed }
      #expect(first.log.value.closed == [nil])
      #expect(second.log.value.closed == [nil])
    }
  }

  @Test func `a closed end ends the other side, and resets it when it writes`() async throws {
    try await withLoop { loop in
      let (first, second) = await pair(loop)
      first.send([1])
      first.transport.close()
      await second.log.wait { $0.ended == 1 }
      #expect(second.log.value.received == [1])
      #expect(first.log.value.closed == [nil])
      second.send([2])
      await second.log.wait { $0.isClosed }
      #expect(second.log.value.closed == [.reset])
    }
  }

  @Test func `a failure closes both ends with its error`() async throws {
    try await withLoop { loop in
      let (first, second) = await pair(loop)
      let error = TransportError.system(errno: 5, operation: "test")
      let ends = MemoryTransport.pair(loop: loop)
      let broken = (TransportRecorder(ends.0), TransportRecorder(ends.1))
      await broken.0.start()
      await broken.1.start()
      ends.0.fail(error)
      await broken.0.log.wait { $0.isClosed }
      await broken.1.log.wait { $0.isClosed }
      #expect(broken.0.log.value.closed == [error])
      #expect(broken.1.log.value.closed == [error])
      #expect(!first.log.value.isClosed && !second.log.value.isClosed)
    }
  }

  @Test func `closed ends of a memory transport are released`() async throws {
    try await withLoop { loop in
      weak var first: MemoryTransport?
      weak var second: MemoryTransport?
      do {
        let ends = MemoryTransport.pair(loop: loop)
        (first, second) = ends
        let recorders = (TransportRecorder(ends.0), TransportRecorder(ends.1))
        await recorders.0.start()
        await recorders.1.start()
        ends.0.close()
        await recorders.1.log.wait { $0.ended == 1 }
        ends.1.close()
        await recorders.1.log.wait { $0.isClosed }
      }
      await loop.settle()
      #expect(first == nil && second == nil)
    }
  }
}
