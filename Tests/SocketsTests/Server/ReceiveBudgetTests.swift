import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The receive budget of a server", .workerPool)
struct ReceiveBudgetTests {
  private func sockets(memoryLimit: Int?) -> ConnectionRegistry {
    var admission = WebSocketAdmission()
    admission.memoryLimit = memoryLimit
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.compression = .deflate()
    return ConnectionRegistry(configuration, admission)
  }

  /// A client after its handshake.
  private func enter(_ sockets: ConnectionRegistry, _ loop: EventLoop) async -> TransportRecorder {
    let (near, far) = MemoryTransport.pair(loop: loop)
    let peer = TransportRecorder(far)
    await peer.start()
    sockets.accept(near)
    peer.send(Array(RawClient.request.utf8))
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).contains("\r\n\r\n") }
    await loop.settle()
    peer.log.update { $0.received = [] }
    return peer
  }

  /// The beginning of a message of 16 MiB.
  private func beginning(_ count: Int) -> [UInt8] {
    let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    return head + [UInt8](repeating: 1, count: count)
  }

  @Test
  func `the receive budget closes the connection with the largest unfinished message with 1009`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets(memoryLimit: 4 << 20)
      let bag = DisposeBag()
      // Without an observer, the bytes are kept for frame events too.
      sockets.connections.observable(keeping: sockets)
        .subscribe(onNext: { socket in
          socket.messages.subscribe(onNext: { _ in }, onError: { _ in }).disposed(by: bag)
        })
        .disposed(by: bag)
      var peers: [TransportRecorder] = []
      for number in 0..<10 {
        let peer = await enter(sockets, loop)
        // The fourth holds most.
        peer.send(beginning(number == 3 ? 900 << 10 : 450 << 10))
        await loop.settle(turns: 40)
        peers.append(peer)
      }
      // 4.8 MiB exceed the limit, 3.9 MiB do not.
      #expect(await peers[3].closeCode() == .messageTooBig)
      #expect(sockets.budget.heldBytes <= 4 << 20)
      for (number, peer) in peers.enumerated() where number != 3 {
        #expect(peer.log.value.received.isEmpty)
      }
      #expect(sockets.all.count { $0.state == .connected } == 9)
      for peer in peers { peer.transport.close() }
      await sockets.ended()
      #expect(sockets.budget.heldBytes == 0)
    }
  }

  @Test func `the receive budget closes a connection with unread messages with 1013`() async throws
  {
    try await withLoop { loop in
      let sockets = sockets(memoryLimit: 2 << 20)
      let recorder = Watched<[WebSocketEvent]>([])
      let bag = DisposeBag()
      var peers: [TransportRecorder] = []
      for _ in 0..<3 {
        let peer = await enter(sockets, loop)
        peer.send(Wire.frame(0x82, [UInt8](repeating: 1, count: 900 << 10), masked: true))
        await loop.settle(turns: 40)
        peers.append(peer)
      }
      await peers[0].log.wait { _ in sockets.all.contains { $0.state != .connected } }
      let closed = try #require(sockets.all.first { $0.state != .connected })
      closed.events.subscribe(onNext: { event in recorder.update { $0.append(event) } }).disposed(
        by: bag)
      for peer in peers { peer.transport.close() }
      await sockets.ended()
      await recorder.wait { $0.contains(.error(.overBudget(limit: 2 << 20))) }
      #expect(sockets.budget.heldBytes == 0)
    }
  }

  @Test func `the receive budget closes one slow consumer above the limit, and drops its messages`()
    async throws
  {
    try await withLoop { loop in
      let limit = 2_200_000
      let sockets = sockets(memoryLimit: limit)
      var peers: [TransportRecorder] = []
      for _ in 0..<8 { peers.append(await enter(sockets, loop)) }
      let consumers = sockets.all.map(\.values)
      for peer in peers {
        // The last message exceeds the limit.
        peer.send(Wire.frame(0x82, [UInt8](repeating: 1, count: 300_000), masked: true))
        await loop.settle(turns: 40)
      }
      #expect(sockets.all.count { $0.state == .connected } == 7)
      // The client has not answered the close yet.
      let closed = try #require(sockets.all.first { $0.state != .connected })
      #expect(closed.state == .disconnecting)
      #expect(closed.streams.bytesInWindows == 0)
      #expect(sockets.budget.heldBytes == 7 * 300_001)
      var outcomes = 0
      for values in consumers {
        var iterator = values.makeAsyncIterator()
        do {
          if try await iterator.next() != nil { outcomes += 1 }
        } catch WebSocketError.overBudget(limit: limit) {
          outcomes += 100
        }
      }
      #expect(outcomes == 107)
      for peer in peers { peer.transport.close() }
      await sockets.ended()
      #expect(sockets.budget.heldBytes == 0)
    }
  }

  @Test func `the receive budget counts messages of async consumers until they are consumed`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets(memoryLimit: 64 << 20)
      let peer = await enter(sockets, loop)
      let socket = try #require(sockets.all.first)
      let values = socket.values
      for _ in 0..<10 {
        peer.send(Wire.frame(0x82, [UInt8](repeating: 1, count: 50_000), masked: true))
      }
      await loop.settle(turns: 40)
      #expect(socket.streams.bytesInWindows == 500_010)
      #expect((484_000...500_010).contains(sockets.budget.heldBytes))
      var iterator = values.makeAsyncIterator()
      for _ in 0..<10 { _ = try await iterator.next() }
      #expect(socket.streams.bytesInWindows == 0)
      peer.send(Wire.frame(0x89, "", masked: true))
      await peer.log.wait {
        TransportRecorder.frames(in: $0.received).contains { $0.first == 0x8A }
      }
      #expect(sockets.budget.heldBytes == 0)
      peer.transport.close()
      await sockets.ended()
    }
  }

  @Test
  func `the receive budget counts unread messages of an ended connection until they are consumed`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets(memoryLimit: 64 << 20)
      let peer = await enter(sockets, loop)
      let socket = try #require(sockets.all.first)
      var values: WebSocketMessages? = socket.values
      for _ in 0..<10 {
        peer.send(Wire.frame(0x82, [UInt8](repeating: 1, count: 50_000), masked: true))
      }
      await loop.settle(turns: 40)
      peer.transport.close()
      await sockets.ended()
      #expect(sockets.budget.heldBytes == 500_010)
      var iterator = values?.makeAsyncIterator()
      for _ in 0..<5 { _ = try await iterator?.next() }
      #expect(sockets.budget.heldBytes == 250_005)
      (values, iterator) = (nil, nil)
      for _ in 0..<1_000 where sockets.budget.heldBytes > 0 { await Task.yield() }
      #expect(sockets.budget.heldBytes == 0)
    }
  }

  @Test(arguments: ["reset", "close frame"])
  func `the receive budget drops unread messages of ended connections before it closes others`(
    leaving: String
  )
    async throws
  {
    try await withLoop { loop in
      let limit = 2 << 20
      let sockets = sockets(memoryLimit: limit)
      var consumers: [WebSocketMessages] = []
      // Each connection leaves 600 KB in its consumer's window.
      for _ in 0..<5 {
        let peer = await enter(sockets, loop)
        let socket = try #require(sockets.all.first { $0.state == .connected })
        consumers.append(socket.values)
        for _ in 0..<10 {
          peer.send(Wire.frame(0x82, [UInt8](repeating: 1, count: 60_000), masked: true))
        }
        await loop.settle(turns: 40)
        if leaving == "reset" {
          peer.transport.close()
          while socket.state != .disconnected { await loop.settle() }
        } else {
          // TCP stays open.
          peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: true))
          while socket.state == .connected { await loop.settle() }
        }
      }
      let innocent = await enter(sockets, loop)
      innocent.send(beginning(30_000))
      await loop.settle(turns: 40)
      #expect(innocent.log.value.received.isEmpty)
      #expect(sockets.budget.heldBytes <= limit)
      #expect(sockets.budget.heldBytes > limit / 2)
      var failed = 0
      for values in consumers {
        var iterator = values.makeAsyncIterator()
        do {
          for _ in 0..<10 { _ = try await iterator.next() }
        } catch WebSocketError.overBudget(limit: limit) {
          failed += 1
        }
      }
      #expect(failed == 2)
      #expect(sockets.all.contains { $0.state == .connected })
      innocent.transport.close()
    }
  }

  @Test func `the receive budget has no upper limit`() async throws {
    try await withLoop { loop in
      let sockets = sockets(memoryLimit: nil)
      let peer = await enter(sockets, loop)
      peer.send(beginning(8 << 20))
      await loop.settle(turns: 400)
      #expect(sockets.all.first?.state == .connected)
      #expect(sockets.budget.heldBytes > 7 << 20)
      peer.transport.close()
      await sockets.ended()
    }
  }

  @Test func `a receive charge reports changes of 16 KiB, and zero`() {
    let charge = ReceiveCharge()
    #expect(charge.update(to: 16_383) == nil)
    #expect(charge.update(to: 16_384) == 16_384)
    #expect(charge.update(to: 1) == nil)
    #expect(charge.update(to: 0) == -16_384)
    #expect(charge.update(to: 0) == nil)
    #expect(charge.update(to: 20_000) == 20_000)
    #expect(charge.end() == -20_000)
    #expect(charge.update(to: 20_000) == nil && charge.end() == nil)
  }
}
