import Dispatch
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// What happens between a session and its transport, whatever the session is.
@Suite("TLS that waits", .workerPool)
struct TLSFlowTests {
  /// A transport with this session and the bare other end, both open.
  private func pair(
    _ loop: EventLoop,
    _ session: PlainSession,
    capacity: Int = 65_536
  ) async -> (near: Recorder, peer: Recorder) {
    let (near, far) = MemoryTransport.pair(loop: loop, capacity: capacity)
    let ends = (near: Recorder(TLSTransport(over: near, session)), peer: Recorder(far))
    await ends.peer.start()
    await ends.near.start()
    return ends
  }

  // MARK: Reading and writing

  @Test func `a peer that asks for answers and does not take them is not read, until it does`()
    async throws
  {
    try await withLoop { loop in
      let session = PlainSession(answer: 100)
      let (near, peer) = await pair(loop, session, capacity: 4_096)
      peer.transport.setReading(false)
      let count = 20_000
      peer.send(pattern(count))
      await loop.settle(turns: 50)
      // One delivery passed the limit, and was the last.
      #expect(near.log.value.received.count == 4_096)
      #expect(session.waiting <= 4_096 * 100)
      #expect(peer.sent < count)
      peer.transport.setReading(true)
      await near.log.wait { $0.received.count == count }
      await peer.log.wait { $0.received.count == count * 100 }
      expectSame(near.log.value.received, pattern(count))
    }
  }

  @Test func `a handler that reads again does not undo it`() async throws {
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

  @Test func `what could not be written before something is read is asked for then, once`()
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

  @Test func `room is told once for each time that there was none`() async throws {
    try await withLoop { loop in
      let (near, peer) = await pair(loop, PlainSession(), capacity: 1_000)
      peer.transport.setReading(false)
      near.send(pattern(100_000))
      await loop.settle()
      peer.transport.setReading(true)
      await peer.log.wait { $0.received.count == 100_000 }
      await loop.settle()
      expectSame(peer.log.value.received, pattern(100_000))
      // 80 KiB are encrypted and wait; when they have left there is room for the rest.
      #expect(near.log.value.writable == 1)
    }
  }

  // MARK: A session that takes long to make

  private struct Slow {
    let gate = DispatchSemaphore(value: 0)
    let near: Recorder
    let peer: Recorder

    init(_ loop: EventLoop, _ outcome: Result<Void, TLSError> = .success(())) {
      let (near, far) = MemoryTransport.pair(loop: loop)
      peer = Recorder(far)
      self.near = Recorder(
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

  @Test func `a session is made on a thread of its own, and the loop goes on`() async throws {
    try await withLoop { loop in
      let slow = Slow(loop)
      await loop.settle()
      #expect(slow.near.log.value.opened == 0)
      #expect([1].withUnsafeBytes { slow.near.transport.write($0) } == 0)
      slow.gate.signal()
      await slow.near.log.wait { $0.opened == 1 }
      slow.near.send([1])
      await slow.peer.waitToReceive([1])
    }
  }

  @Test func `a session that cannot be made is the error of the connection`() async throws {
    try await withLoop { loop in
      let error = TLSError.noAuthorities(searched: ["/a"])
      let slow = Slow(loop, .failure(error))
      slow.gate.signal()
      await slow.near.log.wait { $0.isClosed }
      #expect(slow.near.log.value.closed == [.tls(error)])
      #expect(slow.near.log.value.opened == 0)
    }
  }

  @Test func `whoever closes does not wait for the session`() async throws {
    try await withLoop { loop in
      let slow = Slow(loop)
      await loop.settle()
      slow.near.transport.close()
      await slow.near.log.wait { $0.isClosed }
      #expect(slow.near.log.value.closed == [nil])
      slow.gate.signal()
      await loop.settle(turns: 10)
      #expect(slow.near.log.value.opened == 0 && slow.near.log.value.closed.count == 1)
    }
  }

  @Test func `closed before it is started, no session is made`() async throws {
    try await withLoop { loop in
      let (inner, _) = MemoryTransport.pair(loop: loop)
      let transport = TLSTransport(over: inner) { () throws(TLSError) in
        Issue.record("made")
        return PlainSession()
      }
      let near = Recorder(transport)
      transport.close()
      transport.start(near)
      await near.log.wait { $0.isClosed }
      #expect(near.log.value.closed == [nil])
    }
  }
}
