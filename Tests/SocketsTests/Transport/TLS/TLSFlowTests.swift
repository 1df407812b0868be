import Dispatch
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The flow control between any session and its transport.
@Suite("TLS flow control", .workerPool)
struct TLSFlowTests {
  /// An open transport with this session, and the plain other end.
  private func pair(
    _ loop: EventLoop,
    _ session: PlainSession,
    capacity: Int = 65_536
  ) async -> (near: TransportRecorder, peer: TransportRecorder) {
    let (near, far) = MemoryTransport.pair(loop: loop, capacity: capacity)
    let ends = (
      near: TransportRecorder(TLSTransport(over: near, session)), peer: TransportRecorder(far)
    )
    await ends.peer.start()
    await ends.near.start()
    return ends
  }

  // MARK: Reading and writing

  @Test func `a peer that requests answers and does not read them is not read until it does`()
    async throws
  {
    try await withLoop { loop in
      let session = PlainSession(answer: 100)
      let (near, peer) = await pair(loop, session, capacity: 4_096)
      peer.transport.setReading(false)
      let count = 20_000
      peer.send(pattern(count))
      await loop.settle(turns: 50)
      // The delivery that exceeded the limit was the last.
      #expect(near.log.value.received.count == 4_096)
      #expect(session.waiting <= 4_096 * 100)
      #expect(peer.sent < count)
      peer.transport.setReading(true)
      await near.log.wait { $0.received.count == count }
      await peer.log.wait { $0.received.count == count * 100 }
      expectSame(near.log.value.received, pattern(count))
    }
  }

  @Test func `a handler that resumes reading does not override the pause of TLS`() async throws {
    try await withLoop { loop in
      let (near, peer) = await pair(loop, PlainSession(answer: 100), capacity: 4_096)
      peer.transport.setReading(false)
      peer.send(pattern(20_000))
      await loop.settle(turns: 50)
      near.transport.setReading(false)
      near.transport.setReading(true)
      await loop.settle(turns: 50)
      #expect(near.log.value.received.count == 4_096)
    }
  }

  @Test func `a write that must wait for a read is retried once after it`()
    async throws
  {
    try await withLoop { loop in
      let (near, peer) = await pair(loop, PlainSession(mustRead: true))
      near.send([1, 2, 3])
      await loop.settle()
      #expect(near.sent == 0 && near.log.value.writable == 0)
      peer.send([9])
      await peer.waitToReceive([1, 2, 3])
      for _ in 0..<3 {
        peer.send([9])
        await loop.settle()
      }
      #expect(near.log.value.received == [9, 9, 9, 9])
      #expect(near.log.value.writable == 1)
    }
  }

  @Test func `room is reported once after each full buffer`() async throws {
    try await withLoop { loop in
      let (near, peer) = await pair(loop, PlainSession(), capacity: 1_000)
      peer.transport.setReading(false)
      near.send(pattern(100_000))
      await loop.settle()
      peer.transport.setReading(true)
      await peer.log.wait { $0.received.count == 100_000 }
      await loop.settle()
      expectSame(peer.log.value.received, pattern(100_000))
      // 80 KiB are encrypted and queued; when they are written there is room for the rest.
      #expect(near.log.value.writable == 1)
    }
  }

  // MARK: Slow sessions

  private struct SlowSessionPair {
    let gate = DispatchSemaphore(value: 0)
    let near: TransportRecorder
    let peer: TransportRecorder

    init(_ loop: EventLoop, _ outcome: Result<Void, TLSError> = .success(())) {
      let (near, far) = MemoryTransport.pair(loop: loop)
      peer = TransportRecorder(far)
      self.near = TransportRecorder(
        TLSTransport(over: near) { [gate] () throws(TLSError) in
          _ = gate.wait(timeout: .now() + 60)
          try outcome.get()
          return PlainSession()
        }
      )
      peer.transport.start(peer)
      self.near.transport.start(self.near)
    }
  }

  @Test func `a TLS session is made on its own thread, and the loop continues`() async throws {
    try await withLoop { loop in
      let slow = SlowSessionPair(loop)
      await loop.settle()
      #expect(slow.near.log.value.opened == 0)
      #expect([1].withUnsafeBytes { slow.near.transport.write($0) } == 0)
      slow.gate.signal()
      await slow.near.log.wait { $0.opened == 1 }
      slow.near.send([1])
      await slow.peer.waitToReceive([1])
    }
  }

  @Test func `a TLS session that takes long does not delay another one`() async throws {
    try await withLoop { loop in
      let slow = SlowSessionPair(loop)
      await loop.settle()
      let other = SlowSessionPair(loop)
      other.gate.signal()
      await other.near.log.wait { $0.opened == 1 }
      #expect(slow.near.log.value.opened == 0)
      slow.gate.signal()
      await slow.near.log.wait { $0.opened == 1 }
    }
  }

  @Test func `a TLS session that cannot be made is the error of the connection`() async throws {
    try await withLoop { loop in
      let error = TLSError.noAuthorities(searched: ["/a"])
      let slow = SlowSessionPair(loop, .failure(error))
      slow.gate.signal()
      await slow.near.log.wait { $0.isClosed }
      #expect(slow.near.log.value.closed == [.tls(error)])
      #expect(slow.near.log.value.opened == 0)
    }
  }

  @Test func `close does not wait for a TLS session that is being made`() async throws {
    try await withLoop { loop in
      let slow = SlowSessionPair(loop)
      await loop.settle()
      slow.near.transport.close()
      await slow.near.log.wait { $0.isClosed }
      #expect(slow.near.log.value.closed == [nil])
      slow.gate.signal()
      await loop.settle(turns: 10)
      #expect(slow.near.log.value.opened == 0 && slow.near.log.value.closed.count == 1)
    }
  }

  @Test func `a TLS transport that is closed before its start makes no session`() async throws {
    try await withLoop { loop in
      let (inner, _) = MemoryTransport.pair(loop: loop)
      let transport = TLSTransport(over: inner) { () throws(TLSError) in
        Issue.record("made")
        return PlainSession()
      }
      let near = TransportRecorder(transport)
      transport.close()
      transport.start(near)
      await near.log.wait { $0.isClosed }
      #expect(near.log.value.closed == [nil])
    }
  }
}
