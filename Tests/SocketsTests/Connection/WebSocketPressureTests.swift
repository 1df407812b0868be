import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("Backpressure of sends", .workerPool)
struct WebSocketPressureTests {
  private var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 10_000
    return configuration
  }

  /// A peer that has stopped reading, and a socket with full buffers and a full queue.
  private func pressed() async throws -> MemoryPeer {
    let pair = try await MemoryPeer(configuration, capacity: 1_000)
    pair.peer.transport.setReading(false)
    // Counted when the transport's buffers are full.
    while pair.socket.metrics.queuedBytes < configuration.sendHighWaterMark {
      try pair.socket.send(Data(count: 990))
      await EventLoop.shared.settle()
    }
    return pair
  }

  @Test func `a send waits above the high-water mark until half is written`() async throws {
    let pair = try await pressed()
    let reports = Watched<[Bool]>([])
    let bag = DisposeBag()
    pair.socket.writability.subscribe(onNext: { isWritable in
      reports.update { $0.append(isWritable) }
    })
    .disposed(by: bag)
    let isSent = Watched(false)
    let sending = Task {
      try await pair.socket.sendWhenWritable("last")
      isSent.update { $0 = true }
    }
    await EventLoop.shared.settle()
    #expect(!isSent.value && !pair.socket.isWritable)
    #expect(pair.socket.metrics.queuedBytes >= 10_000)
    // `send` is accepted without waiting.
    try pair.socket.send("first")
    pair.peer.transport.setReading(true)
    try await sending.joined
    #expect(pair.socket.metrics.queuedBytes <= 5_100)
    await reports.wait { $0 == [false, true] }
    await pair.peer.log.wait { TransportRecorder.longFrames(in: $0.received).last?.count == 4 }
    let texts = TransportRecorder.longFrames(in: pair.peer.log.value.received).suffix(2)
    #expect(texts == [Array("first".utf8), Array("last".utf8)])
    pair.close()
  }

  @Test func `a cancelled send has sent either nothing or the whole message`() async throws {
    let pair = try await pressed()
    let sends = (0..<100).map { number in
      Task { try await pair.socket.sendWhenWritable("number \(number)") }
    }
    for (number, send) in sends.enumerated() where number % 2 == 0 { send.cancel() }
    pair.peer.transport.setReading(true)
    var sent = Set<String>()
    for (number, send) in sends.enumerated() {
      let isSent = (try? await send.joined) != nil
      // A send that is cancelled after it was written succeeds.
      if isSent { sent.insert("number \(number)") }
    }
    #expect(sent.count >= 50)
    await pair.peer.log.wait { log in
      TransportRecorder.longFrames(in: log.received).count { $0.starts(with: Array("number".utf8)) }
        >= sent.count
    }
    let arrived = TransportRecorder.longFrames(in: pair.peer.log.value.received)
      .filter { $0.count < 100 }.map { String(decoding: $0, as: UTF8.self) }
    #expect(arrived.count == sent.count)
    #expect(Set(arrived) == sent)
    pair.close()
  }

  @Test func `a waiting send fails when the WebSocket closes`() async throws {
    let pair = try await pressed()
    let send = Task { try await pair.socket.sendWhenWritable("never") }
    await EventLoop.shared.settle()
    pair.close()
    await #expect(throws: WebSocketError.self) { try await send.joined }
    await #expect(throws: WebSocketError.notConnected(pair.socket.state)) {
      try await pair.socket.sendWhenWritable("never")
    }
  }

  @Test func `a thousand waiting sends arrive once each, in order`() async throws {
    let (near, far) = MemoryTransport.pair(capacity: 1_000)
    let client = WebSocket.client(over: near, configuration: configuration.onStoppedClock)
    let server = WebSocket.server(over: far, configuration: .init().onStoppedClock)
    for socket in [client, server] { socket.connect() }
    try await client.connected()
    let sending = Task {
      for number in 0..<1_000 {
        try await client.sendWhenWritable("\(number) " + String(repeating: "x", count: 200))
      }
    }
    var number = 0
    for try await message in server.values {
      #expect(message.text?.hasPrefix("\(number) ") == true)
      number += 1
      if number == 1_000 { break }
    }
    try await sending.joined
    client.close()
    try await client.closed()
  }

  // MARK: Fragments

  @Test func `fragments are one message, other messages wait, and control frames do not`()
    async throws
  {
    let pair = try await MemoryPeer()
    let (texts, more) = AsyncStream.makeStream(of: String.self)
    let sending = Task { try await pair.socket.sendFragments(of: texts) }
    more.yield("Hel")
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    try pair.socket.send("other")
    let waiting = Task { try await pair.socket.sendWhenWritable("another") }
    try pair.socket.ping(Data("?".utf8))
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    #expect(pair.socket.metrics.queuedBytes == 5)
    more.yield("lo")
    more.finish()
    try await sending.joined
    try await waiting.joined
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 6 }
    #expect(pair.peer.frames.map(\.first) == [0x01, 0x89, 0x00, 0x80, 0x81, 0x81])
    let payloads = pair.peer.frames.map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(payloads == ["Hel", "?", "lo", "", "other", "another"])
    #expect(pair.socket.metrics.messagesSent == 3)
    pair.close()
  }

  @Test func `two streams of fragments are sent one after the other`() async throws {
    let (near, far) = MemoryTransport.pair(capacity: 1_000)
    let client = WebSocket.client(over: near, configuration: configuration.onStoppedClock)
    let server = WebSocket.server(over: far, configuration: .init().onStoppedClock)
    for socket in [client, server] { socket.connect() }
    try await client.connected()
    let values = server.values
    let sends = (1...2).map { number in
      Task {
        let parts = AsyncStream { continuation in
          for _ in 0..<50 { continuation.yield(Data(repeating: UInt8(number), count: 1_000)) }
          continuation.finish()
        }
        try await client.sendFragments(of: parts)
      }
    }
    var messages: [Data] = []
    for try await message in values {
      messages.append(message.data)
      if messages.count == 2 { break }
    }
    for send in sends { try await send.joined }
    #expect(Set(messages) == Set((1...2).map { Data(repeating: $0, count: 50_000) }))
    client.close()
    try await client.closed()
  }

  @Test func `an unfinished fragmented message closes with 1011`() async throws {
    struct StreamError: Error {}
    for isCancelled in [false, true] {
      let pair = try await MemoryPeer()
      let (texts, more) = AsyncThrowingStream.makeStream(of: String.self)
      let sending = Task { try await pair.socket.sendFragments(of: texts) }
      more.yield("half")
      await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
      if isCancelled { sending.cancel() } else { more.finish(throwing: StreamError()) }
      await #expect(throws: (any Error).self) { try await sending.joined }
      #expect(await pair.peer.closeCode() == .internalError)
      pair.close()
    }
  }

  @Test func `a stream that fails before its first part sends nothing`() async throws {
    struct StreamError: Error {}
    let pair = try await MemoryPeer()
    let texts = AsyncThrowingStream<String, any Error> { $0.finish(throwing: StreamError()) }
    await #expect(throws: StreamError.self) { try await pair.socket.sendFragments(of: texts) }
    try pair.socket.send("a")
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    #expect(pair.socket.state == .connected)
    pair.close()
  }
}

extension TransportRecorder {
  /// The unmasked payloads of the received frames of any length.
  static func longFrames(in bytes: [UInt8]) -> [[UInt8]] {
    var session = Session.open(.server)
    return session.events(in: bytes).compactMap { event in
      if case .message(let message) = event { [UInt8](message.data) } else { nil }
    }
  }
}
