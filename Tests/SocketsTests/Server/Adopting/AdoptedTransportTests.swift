import Dispatch
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("The transport of an adopted connection", .workerPool) struct AdoptedTransportTests {
  private func started(
    _ loop: EventLoop, takesBytes: Bool = true
  ) async -> (AdoptedPeer, AdoptedTransport, TransportRecorder) {
    let peer = AdoptedPeer(takesBytes: takesBytes)
    let transport = AdoptedTransport(peer.channel, from: nil, loop: loop)
    peer.connection = AdoptedConnection(transport)
    let recorder = TransportRecorder(transport)
    await recorder.start()
    return (peer, transport, recorder)
  }

  @Test func `bytes that arrive before the transport starts are delivered in order`() async throws {
    try await withLoop { loop in
      let peer = AdoptedPeer()
      let transport = AdoptedTransport(peer.channel, from: nil, loop: loop)
      let connection = AdoptedConnection(transport)
      connection.receive([1, 2])
      connection.receive([3])
      let recorder = TransportRecorder(transport)
      await recorder.start()
      await recorder.log.wait { $0.received == [1, 2, 3] }
      #expect(recorder.log.value.strayCalls == 0)
    }
  }

  @Test func `at most 256 KiB wait for the library, and more is accepted once half is written`()
    async throws
  {
    try await withLoop { loop in
      let (peer, _, recorder) = await started(loop, takesBytes: false)
      let bytes = pattern(600_000)
      recorder.send(bytes)
      #expect(peer.calls.value.written.count == 262_144)
      peer.connection?.noteWritten(131_071)
      await loop.settle()
      #expect(recorder.log.value.writable == 0)
      peer.connection?.noteWritten(1)
      await peer.calls.wait { $0.written.count > 262_144 }
      await loop.settle()
      #expect(recorder.log.value.writable == 1)
      #expect(peer.calls.value.written.count == 393_216)
      peer.connection?.noteWritten(262_144)
      await peer.calls.wait { $0.written.count == 600_000 }
      expectSame(peer.calls.value.written, bytes)
    }
  }

  @Test func `the library stops reading while 256 KiB wait for the loop`() async throws {
    try await withLoop { loop in
      let (peer, _, recorder) = await started(loop)
      let (isBlocked, mayGoOn) = (Watched(false), DispatchSemaphore(value: 0))
      loop.execute {
        isBlocked.update { $0 = true }
        mayGoOn.wait()
      }
      await isBlocked.wait { $0 }
      peer.connection?.receive(pattern(262_143))
      #expect(peer.calls.value.isRead)
      peer.connection?.receive([0])
      #expect(!peer.calls.value.isRead)
      mayGoOn.signal()
      await recorder.log.wait { $0.received.count == 262_144 }
      await peer.calls.wait { $0.isRead }
    }
  }

  @Test func `paused reading keeps the bytes, and reports the end or the failure behind them`()
    async throws
  {
    try await withLoop { loop in
      let (peer, transport, recorder) = await started(loop)
      transport.setReading(false)
      #expect(!peer.calls.value.isRead)
      peer.connection?.receive([1])
      peer.connection?.receiveEnd()
      peer.connection?.noteClosed(.reset)
      await loop.settle()
      #expect(recorder.log.value.received.isEmpty && recorder.log.value.closed.isEmpty)
      transport.setReading(true)
      await recorder.log.wait { $0.isClosed }
      #expect(recorder.log.value.received == [1])
      #expect(recorder.log.value.closed == [.reset])
    }
  }

  @Test func `the end of both directions closes the transport and its channel once`() async throws {
    try await withLoop { loop in
      let (peer, transport, recorder) = await started(loop)
      peer.connection?.receiveEnd()
      peer.connection?.receiveEnd()
      peer.connection?.receive([1])
      await recorder.log.wait { $0.ended == 1 }
      #expect(!recorder.log.value.isClosed)
      transport.closeWriting()
      transport.closeWriting()
      await recorder.log.wait { $0.isClosed }
      #expect(recorder.log.value.closed == [nil])
      #expect(recorder.log.value.received.isEmpty)
      #expect(peer.calls.value.ends == 1 && peer.calls.value.closes == 1)
      #expect([9].withUnsafeBytes { transport.write($0) } == 0)
    }
  }

  @Test func `the connection closes only when the library has written everything`() async throws {
    try await withLoop { loop in
      let (peer, transport, recorder) = await started(loop, takesBytes: false)
      recorder.send([1, 2, 3])
      transport.closeWriting()
      peer.connection?.receiveEnd()
      await recorder.log.wait { $0.ended == 1 }
      peer.connection?.noteWritten(2)
      await loop.settle()
      #expect(!recorder.log.value.isClosed && peer.calls.value.closes == 0)
      peer.connection?.noteWritten(1)
      await recorder.log.wait { $0.isClosed }
      #expect(recorder.log.value.closed == [nil] && peer.calls.value.closes == 1)
    }
  }

  @Test func `a connection whose bytes cause much work leaves turns to others`() async throws {
    try await withLoop { loop in
      let peer = AdoptedPeer()
      let transport = AdoptedTransport(peer.channel, from: nil, loop: loop)
      let connection = AdoptedConnection(transport)
      let other = Watched<Int?>(nil)
      let recorder = TransportRecorder(transport) { recorder, _ in
        let began = loop.now
        while loop.now - began < 1_000_000 {}
        // The library reads on as long as the other connection has had no turn.
        if recorder.log.value.deliveries < 1_000, other.value == nil { connection.receive([1]) }
      }
      await recorder.start()
      connection.receive([1])
      await recorder.log.wait { $0.deliveries > 0 }
      loop.execute { other.update { $0 = recorder.log.value.deliveries } }
      await other.wait { $0 != nil }
      #expect((other.value ?? .max) < 1_000)
    }
  }

  @Test func `closing drops what waits, and delivers nothing but the end`() async throws {
    try await withLoop { loop in
      let (peer, transport, recorder) = await started(loop)
      await loop.run {
        peer.connection?.receive([1])
        transport.close()
      }
      await recorder.log.wait { $0.isClosed }
      #expect(recorder.log.value.received.isEmpty && recorder.log.value.closed == [nil])
      peer.connection?.noteClosed(.reset)
      await loop.settle()
      #expect(recorder.log.value.strayCalls == 0 && peer.calls.value.closes == 1)
    }
  }
}
