import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The connections of a server over memory.
@Suite("The connections of a server", .workerPool)
struct ConnectionRegistryTests {
  private func sockets(
    limit: Int = 10_000,
    _ configuration: WebSocketConfiguration = .init()
  ) -> ConnectionRegistry {
    var admission = WebSocketAdmission()
    admission.connectionLimit = limit
    return ConnectionRegistry(configuration.onStoppedClock, admission)
  }

  /// The client's end of a connection that is being accepted.
  private func come(to sockets: ConnectionRegistry, _ loop: EventLoop) async -> TransportRecorder {
    let (near, far) = MemoryTransport.pair(loop: loop, capacity: 16_384)
    let peer = TransportRecorder(far)
    await peer.start()
    sockets.accept(near)
    return peer
  }

  /// The client's end after its handshake or rejection.
  private func enter(_ sockets: ConnectionRegistry, _ loop: EventLoop) async -> TransportRecorder {
    let peer = await come(to: sockets, loop)
    peer.send(Array(RawClient.request.utf8))
    await peer.log.wait { log in
      String(decoding: log.received, as: UTF8.self).contains("\r\n\r\n")
    }
    return peer
  }

  private func status(_ peer: TransportRecorder) -> Substring { peer.text.dropFirst(9).prefix(3) }

  @Test func `ended connections are not kept for the first observer`() async throws {
    try await withLoop { loop in
      let sockets = sockets()
      let stays = await enter(sockets, loop)
      for _ in 0..<100 {
        let peer = await enter(sockets, loop)
        peer.transport.close()
        await loop.settle(turns: 20)
        #expect(sockets.all.count == 1)
      }
      #expect(sockets.connections.rememberedCount <= 33)
      let emitted = Locked(0)
      let lifetime = Lifetime()
      sockets.emission.add(
        lifetime.observer(next: { _ in emitted.withLock { $0 += 1 } }, end: { _ in }))
      #expect(emitted.withLock { $0 } == 1)
      stays.transport.close()
    }
  }

  // MARK: Limits

  @Test func `a connection above the limit is refused until another one ends`() async throws {
    try await withLoop { loop in
      let sockets = sockets(limit: 2)
      let first = await enter(sockets, loop)
      let second = await come(to: sockets, loop)
      #expect(status(first) == "101")
      // The second connection counts from its accept on.
      let third = await enter(sockets, loop)
      #expect(status(third) == "503")
      third.transport.close()
      second.transport.close()
      await third.log.wait { $0.isClosed }
      await loop.settle()
      #expect(status(await enter(sockets, loop)) == "101")
      #expect(sockets.all.count == 2)
    }
  }

  @Test func `a connection limit above all numbers is no limit`() async throws {
    try await withLoop { loop in
      let sockets = sockets(limit: .max)
      #expect(status(await enter(sockets, loop)) == "101")
      #expect(sockets.all.count == 1)
    }
  }

  @Test func `a connection above the limit of handshakes is dropped without a response`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets(limit: 1)
      for _ in 0..<1_100 {
        let (near, _) = MemoryTransport.pair(loop: loop)
        sockets.accept(near)
      }
      #expect(sockets.all.count == 1_001)
      var count = 0
      sockets.drop { count = $0 }
      #expect(count == 1_001)
      sockets.close()
      await sockets.ended()
    }
  }

  // MARK: Observers

  @Test func `the first observer receives all earlier connections that are still open`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets()
      var peers: [TransportRecorder] = []
      for _ in 0..<1_030 { peers.append(await enter(sockets, loop)) }
      for index in [0, 17, 1_029] { peers[index].transport.close() }
      while sockets.all.count > 1_027 { await loop.settle() }
      let bag = DisposeBag()
      let received = Locked<[ObjectIdentifier]>([])
      Observable<WebSocket>(.direct) { sockets.emission.add($0) }.subscribe(onNext: { socket in
        received.withLock { $0.append(ObjectIdentifier(socket)) }
      }).disposed(by: bag)
      #expect(received.withLock { Set($0) } == Set(sockets.all.map { ObjectIdentifier($0) }))
      #expect(received.withLock { $0.count } == 1_027)
      for peer in peers { peer.transport.close() }
      await sockets.ended()
    }
  }

  @Test func `a connection that ends before it is observed is released`() async throws {
    try await withLoop { loop in
      let sockets = sockets()
      let peer = await enter(sockets, loop)
      peer.send(Wire.frame(0x81, "hi", masked: true))
      await loop.settle()
      weak let socket = sockets.all.first
      #expect(socket != nil)
      peer.transport.close()
      await sockets.ended()
      for _ in 0..<1_000 where socket != nil { await loop.settle() }
      #expect(socket == nil)
    }
  }

  // MARK: Broadcasts

  @discardableResult
  private func send(
    _ message: WebSocketMessage,
    through sockets: ConnectionRegistry,
    limit: Int = 100_000,
    _ slowClients: SlowClients = .skipped,
    to isMeant: (WebSocket) -> Bool = { _ in true }
  ) -> WebSocketBroadcast {
    sockets.broadcast(message, limit: limit, slowClients: slowClients, to: isMeant)
  }

  @Test func `a broadcast reaches the connected clients that match`() async throws {
    try await withLoop { loop in
      let sockets = sockets()
      let peers = [await enter(sockets, loop), await enter(sockets, loop)]
      let newcomer = await come(to: sockets, loop)
      for peer in peers { peer.log.update { $0.received = [] } }
      let broadcast = send(.text("hello"), through: sockets)
      #expect(broadcast.sent == 2 && broadcast.slow.isEmpty)
      for peer in peers { await peer.waitToReceive(Wire.frame(0x81, "hello", masked: false)) }
      #expect(newcomer.log.value.received.isEmpty)
      let one = try #require(sockets.all.first { $0.state == .connected })
      #expect(send(.text("you"), through: sockets) { $0 === one }.sent == 1)
      #expect(send(.text("none"), through: sockets) { _ in false }.sent == 0)
      // Connections in the handshake are not counted.
      let asked = Locked<[WebSocketState]>([])
      send(.text("all"), through: sockets) { socket in
        asked.withLock { $0.append(socket.state) }
        return true
      }
      #expect(asked.withLock { $0 } == [.connected, .connected])
    }
  }

  @Test func `a slow client is skipped, reported, and included again when it has caught up`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets()
      let slow = await enter(sockets, loop)
      let socket = try #require(sockets.all.first)
      let quick = await enter(sockets, loop)
      slow.log.update { $0.received = [] }
      slow.transport.setReading(false)
      var reports: [WebSocketBroadcast] = []
      for number in 0..<10 {
        reports.append(
          send(.binary(Data(repeating: UInt8(number), count: 50_000)), through: sockets))
        await quick.log.wait { $0.received.count > (number + 1) * 50_000 }
        // The transport of the slow client buffers bytes too.
        await loop.settle()
      }
      // 100,000 bytes and one more message can be queued: 16,384 are with the peer.
      #expect(reports.map(\.sent) == [2, 2, 2, 1, 1, 1, 1, 1, 1, 1])
      #expect(reports[3].slow.count == 1 && reports[3].slow.first === socket)
      slow.transport.setReading(true)
      await slow.log.wait { $0.received.count == 3 * 50_004 }
      await loop.settle()
      #expect(send(.text("again"), through: sockets).sent == 2)
      await slow.log.wait { $0.received.count == 3 * 50_004 + 7 }
    }
  }

  @Test func `a slow client is closed by policy`() async throws {
    try await withLoop { loop in
      let sockets = sockets()
      let slow = await enter(sockets, loop)
      slow.log.update { $0.received = [] }
      slow.transport.setReading(false)
      let message = WebSocketMessage.binary(Data(count: 200_000))
      #expect(send(message, through: sockets, .closed).sent == 1)
      #expect(send(message, through: sockets, .closed).slow.count == 1)
      // Broadcasts ignore it from now on.
      let last = send(message, through: sockets, .closed)
      #expect(last.sent == 0 && last.slow.isEmpty)
      slow.transport.setReading(true)
      let goodbye = Wire.frame(0x88, [0x03, 0xF5] + Array("too slow".utf8), masked: false)
      await slow.log.wait { $0.received.count == 200_010 + goodbye.count }
      #expect(slow.log.value.received.suffix(goodbye.count).elementsEqual(goodbye))
    }
  }

  // MARK: The end

  @Test func `a dropped connection is counted before the end of all connections is reported`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets()
      let (near, far) = MemoryTransport.pair(loop: loop)
      let hasAsked = DispatchSemaphore(value: 0)
      sockets.accept(SlowCloseTransport(near) { hasAsked.wait() })
      let peer = TransportRecorder(far)
      await peer.start()
      await loop.settle()
      let dropped = Locked(0)
      Thread.detachNewThread { sockets.drop { count in dropped.withLock { $0 = count } } }
      await peer.log.wait { $0.ended == 1 || $0.isClosed }
      await sockets.ended()
      #expect(dropped.withLock { $0 } == 1)
      hasAsked.signal()
      peer.transport.close()
    }
  }

  @Test func `a waiting task continues when the last connection has ended`() async throws {
    try await withLoop { loop in
      let sockets = sockets()
      let peers = [await enter(sockets, loop), await enter(sockets, loop)]
      for peer in peers { peer.log.update { $0.received = [] } }
      let hasEnded = Watched(false)
      sockets.close()
      let waiting = Task {
        await sockets.ended()
        hasEnded.update { $0 = true }
      }
      // No new connection is accepted.
      let late = await come(to: sockets, loop)
      #expect(sockets.all.count == 2)
      for peer in peers {
        #expect(!hasEnded.value)
        #expect(await peer.closeCode() == .goingAway)
        peer.transport.close()
      }
      await hasEnded.wait { $0 }
      await waiting.value
      await sockets.ended()
      late.transport.close()
    }
  }
}

/// A transport that closes at once, and returns from the call late.
private final class SlowCloseTransport: Transport {
  private let transport: any Transport
  private let linger: @Sendable () -> Void

  init(_ transport: any Transport, _ linger: @escaping @Sendable () -> Void) {
    self.transport = transport
    self.linger = linger
  }

  var loop: EventLoop { transport.loop }
  var acknowledgement: Acknowledgement? { nil }
  var peerAddress: NetworkAddress? { nil }

  func start(_ handler: any TransportHandler) { transport.start(handler) }
  func replaceHandler(with handler: any TransportHandler) {
    transport.replaceHandler(with: handler)
  }
  func write(_ bytes: UnsafeRawBufferPointer) -> Int { transport.write(bytes) }
  func setReading(_ isReading: Bool) { transport.setReading(isReading) }
  func closeWriting() { transport.closeWriting() }

  func close() {
    transport.close()
    linger()
  }
}
