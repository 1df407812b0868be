import TestSupport
import Testing

@testable import Sockets

@Suite("A WebSocket's messages as a sequence", .workerPool)
struct WebSocketMessagesTests {
  @Test func `iterators of one sequence share the messages, those of two sequences receive all`()
    async throws
  {
    let pair = try await MemoryPeer()
    let (shared, other) = (pair.socket.values, pair.socket.values)
    for text in ["a", "b", "c"] { pair.send(text) }
    var (first, second) = (shared.makeAsyncIterator(), shared.makeAsyncIterator())
    #expect(try await first.next() == .text("a"))
    #expect(try await second.next() == .text("b"))
    #expect(try await first.next() == .text("c"))
    var all = other.makeAsyncIterator()
    for text in ["a", "b", "c"] { #expect(try await all.next() == .text(text)) }
    pair.close()
    #expect(try await second.next() == nil)
    #expect(try await all.next() == nil)
  }

  @Test
  func `the iteration of a cancelled task ends, and consumes no message of the next iterator`()
    async throws
  {
    let pair = try await MemoryPeer()
    let values = pair.socket.values
    let reading = Task {
      var texts: [String?] = []
      for try await message in values { texts.append(message.text) }
      return texts
    }
    reading.cancel()
    #expect(try await reading.joined == [])
    pair.send("a")
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == .text("a"))
    pair.close()
  }

  @Test func `an iteration delivers the messages before an error, the error once, then nil`()
    async throws
  {
    let pair = try await MemoryPeer()
    let values = pair.socket.values
    pair.send("a")
    pair.peer.transport.close()
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == .text("a"))
    await #expect(throws: WebSocketError.connectionLost) { try await iterator.next() }
    for _ in 0..<2 { #expect(try await iterator.next() == nil) }
  }
}
