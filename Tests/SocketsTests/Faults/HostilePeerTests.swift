import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Peers that follow the protocol and attack.
@Suite("A hostile peer", .workerPool)
struct HostilePeerTests {
  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a decompression bomb is answered with 1009`() async throws {
    try await withLoop { loop in
      var configuration = WebSocketConfiguration()
      configuration.compression = .deflate()
      configuration.messageLimit = 1 << 20
      let faulty = await FaultyPeer(.client, loop, configuration)
      faulty.peer.send(
        try await faulty.handshake("Sec-WebSocket-Extensions: permessage-deflate\r\n")
      )
      await faulty.recorder.waitUntilConnected()
      faulty.peer.log.update { $0.received = [] }
      // 16 MiB of zeros in 16 KiB.
      var deflater = MessageDeflater(MessageDeflateTests.deflate())
      var bomb: [UInt8] = []
      _ = [UInt8](repeating: 0, count: 16 << 20).withUnsafeBytes { bytes in
        deflater.deflate(bytes) { bomb += $0 }
      }
      #expect(bomb.count < 20_000)
      faulty.peer.send(Wire.frame(0xC2, bomb, masked: false))
      #expect(await faulty.peer.closeCode() == .messageTooBig)
      faulty.peer.transport.closeWriting()
      await faulty.recorder.waitUntilOver()
      guard
        case .protocolViolation(.messageTooLong(_, limit: 1 << 20)) = faulty.recorder.value.failure
      else {
        Issue.record("\(String(describing: faulty.recorder.value.failure))")
        return
      }
      #expect(faulty.recorder.value.messages.isEmpty)
    }
  }

  @Test(
    .enabled(if: MessageDeflate.isAvailable, "There is no zlib."),
    arguments: [1, 7, 1_000_000]
  )
  func `hostile compressed text is the same error at any split of its bytes`(size: Int) {
    // Compressed text that is not UTF-8 and longer than the limit.
    var text = [UInt8](repeating: 0x61, count: 5_000)
    text[1_000] = 0xFF
    var compressed: [UInt8] = []
    var deflater = MessageDeflater(MessageDeflateTests.deflate())
    _ = text.withUnsafeBytes { bytes in deflater.deflate(bytes) { compressed += $0 } }
    var session = Side.client.session(messageLimit: 2_048)
    session.codec.use(MessageDeflateTests.deflate())
    var rest = Wire.frame(0xC1, compressed, masked: false)[...]
    var events: [Received] = []
    while !rest.isEmpty {
      events += session.events(in: Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    #expect(events == [.failed(.textNotUTF8)])
  }

  @Test func `reading of endless fragments stops without an observer`() async throws {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let socket = WebSocket.server(
        over: near,
        configuration: WebSocketConfiguration().onStoppedClock
      )
      let fragments = Array((0..<1_000).map { _ in Wire.frame(0x00, "", masked: true) }.joined())
      let start = Array(RawClient.request.utf8) + Wire.frame(0x01, "", masked: true)
      let flood = FloodingPeer(far, [(start, 1), (fragments, 1_000)])
      far.start(flood)
      socket.connect()
      await loop.settle(turns: 100)
      let hasWrittenAll = await loop.run { flood.hasWrittenAll }
      #expect(!hasWrittenAll)
      socket.close()
      await loop.settle()
    }
  }
}

#if os(Linux) && !SANITIZED
import CReactiveSystem

/// The memory that such peers cost, measured in processes of their own.
@Suite("The memory that a hostile peer costs", .workerPool)
struct HostilePeerMemoryTests {
  private static func heap() -> Int { Int(csystem_heap_in_use()) }

  /// An echo server and the loop of both sides.
  private static func echo(
    _ parts: [(bytes: [UInt8], times: Int)],
    quota: Int = .max
  ) throws -> (EventLoop, FloodingPeer, Locked<Int>) {
    let loop = try EventLoop(name: "test")
    let (near, far) = MemoryTransport.pair(loop: loop)
    let configuration = WebSocketConfiguration().onStoppedClock
    let socket = WebSocket.server(over: near, configuration: configuration)
    let messages = Locked(0)
    _ = socket.messages.subscribe(
      onNext: { message in
        messages.withLock { $0 += 1 }
        try? socket.send(message)
      },
      onError: { _ in }
    )
    let flood = FloodingPeer(far, [(Array(RawClient.request.utf8), 1)] + parts, quota: quota)
    far.start(flood)
    socket.connect()
    return (loop, flood, messages)
  }

  @Test func `a peer that writes fast and reads slowly does not grow the memory`() async {
    await #expect(processExitsWith: .success) {
      let count = 512
      let payload = 64 << 10
      let frame = Wire.frame(0x82, [UInt8](repeating: 0x61, count: payload), masked: true)
      // 64 KiB per tick: 1 MiB per second with 16 ticks.
      let (loop, flood, _) = try Self.echo([(frame, count)], quota: 64 << 10)
      var before = 0
      var most = 0
      var ticks = 0
      while await loop.run({ flood.read }) < count * payload, ticks < 10 * count {
        await loop.run { flood.tick() }
        await loop.settle(turns: 4)
        ticks += 1
        if ticks == 32 { before = Self.heap() }
        if ticks > 32 { most = max(most, Self.heap()) }
      }
      precondition(ticks > count / 4, "\(ticks) ticks")
      let read = await loop.run { flood.read }
      precondition(read >= count * payload, "stuck at \(read)")
      precondition(most - before < 2 << 20, "\(most - before) bytes")
    }
  }

  @Test func `endless empty fragments use no memory, and are one message`() async {
    await #expect(processExitsWith: .success) {
      // A quarter of a million; ConnectionMemoryTests sends a million to a connection.
      let fragments = Array((0..<10_000).map { _ in Wire.frame(0x00, "", masked: true) }.joined())
      let (loop, _, messages) = try Self.echo([
        (Wire.frame(0x01, "", masked: true), 1), (fragments, 25),
        (Wire.frame(0x80, "!", masked: true), 1),
      ])
      var before = 0
      var most = 0
      for turn in 0..<100_000 where messages.withLock({ $0 }) == 0 {
        await loop.settle()
        if turn == 2 { before = Self.heap() }
        if turn > 2 { most = max(most, Self.heap()) }
      }
      precondition(messages.withLock { $0 } == 1 && before > 0, "it did not arrive")
      precondition(most - before < 200_000, "\(most - before) bytes")
    }
  }

  @Test func `thousands of connects and closes leave no memory and no connection`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "test")
      // On the real clock: a stopped clock would keep every deadline.
      let sockets = ConnectionRegistry(.init(), .init())
      _ = sockets.connections.subscribe()
      func round() async {
        weak var accepted: MemoryTransport?
        weak var served: ConnectionDriver?
        weak var driver: ConnectionDriver?
        do {
          let (near, far) = MemoryTransport.pair(loop: loop)
          sockets.accept(near)
          let client = WebSocket.client(over: far)
          (accepted, served, driver) = (near, sockets.all.first?.driver, client.driver)
          client.connect()
          await loop.settle(until: { client.state == .connected })
          client.close()
          await loop.settle(until: { client.state == .disconnected })
        }
        // The client ends before the server: both have to be released before the next connection.
        await loop.settle(until: { accepted == nil && served == nil && driver == nil })
      }
      for _ in 0..<200 { await round() }
      // A leak grows each time. On a busy machine about 80 KB are allocated once, for any number of
      // rounds.
      var growth = Int.max
      for _ in 0..<3 {
        let before = Self.heap()
        for _ in 0..<700 { await round() }
        growth = min(growth, (Self.heap() - before) / 700)
      }
      precondition(sockets.all.isEmpty, "\(sockets.all.count) are left")
      precondition(growth < 32, "\(growth) bytes each")
    }
  }
}

extension EventLoop {
  /// Waits until the condition holds, for at most half a minute.
  fileprivate func settle(until isMet: () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(30)
    while !isMet() {
      precondition(ContinuousClock.now < deadline, "it is not over")
      await settle(turns: 1)
    }
  }
}

extension ReplayingHub {
  /// Reads and discards all bytes.
  fileprivate func subscribe() -> any Disposable {
    Observable<Element>(.direct) { [self] in add($0, replaysAfterEnd: true) }.subscribe()
  }
}
#endif
