import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The bounds of a window; WebSocketReceivingTests covers its contents.
@Suite("The window of a consumer", .workerPool) struct BoundedMessageBufferTests {
  @Test func `one mebibyte fills a window, and reading resumes below half of it`()
    async throws
  {
    let pair = try await MemoryPeer()
    let values = pair.socket.values
    let frame = Wire.frame(0x82, [UInt8](repeating: 7, count: 300_000), masked: false)
    for _ in 0..<12 { pair.peer.send(frame) }
    let first = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(first == 4)
    var iterator = values.makeAsyncIterator()
    for taken in 1...2 {
      _ = try await iterator.next()
      // More than half a mebibyte remains.
      let received = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
      #expect(received == first, "\(taken) taken")
    }
    _ = try await iterator.next()
    let second = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(second == 7)
    for _ in 3..<12 { #expect(try await iterator.next()?.data.count == 300_000) }
    pair.close()
  }

  @Test func `a full window that is released resumes the other consumers`() async throws {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    var full: WebSocketMessages? = pair.socket.values
    let read = Watched(0)
    let values = pair.socket.values
    let reading = Task {
      for try await _ in values { read.update { $0 += 1 } }
    }
    for number in 0..<200 { pair.send("\(number)") }
    let stuck = await EventLoop.shared.stableCount { read.value }
    #expect(stuck < 40)
    withExtendedLifetime(full) {}
    full = nil
    await read.wait { $0 == 200 }
    pair.close()
    try await reading.joined
  }

  @Test func `two threads fill and drain a window, and its counts stay correct`() async throws {
    let (near, _) = MemoryTransport.pair()
    let socket = WebSocket.client(over: near)
    let values = socket.values
    // Each message fills a window.
    let message = WebSocketMessage.binary(Data(count: (1 << 20) + 1))
    let count = 20_000
    let taken = Task.detached {
      var iterator = values.makeAsyncIterator()
      for _ in 0..<count { _ = try await iterator.next() }
    }
    EventLoop.shared.execute { for _ in 0..<count { socket.streams.emit(message) } }
    try await taken.joined
    #expect(!socket.streams.isFull)
  }

  @Test func `a paused consumer gets no more room while too many bytes are queued`() async throws {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let (near, _) = MemoryTransport.pair()
    let socket = WebSocket.client(over: near, configuration: configuration)
    var iterator = socket.values.makeAsyncIterator()
    let loop = EventLoop.shared
    loop.execute {
      for _ in 0..<15 { socket.streams.emit(.text("a")) }
      socket.streams.emit(.binary(Data(count: (1 << 20) + 1)))
    }
    await loop.settle()
    for _ in 0..<7 {
      time.advance(by: .seconds(2))
      _ = try await iterator.next()
      #expect(socket.streams.hasFullWindow)
    }
    for _ in 0..<9 { _ = try await iterator.next() }
    #expect(!socket.streams.hasFullWindow)
  }
}
