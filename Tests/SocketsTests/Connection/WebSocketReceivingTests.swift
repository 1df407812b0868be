import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("Receiving without an observer", .workerPool)
struct WebSocketReceivingTests {
  @Test func `receive returns messages one by one, then the close each time`() async throws {
    let pair = try await MemoryPeer()
    for text in ["a", "b"] { pair.send(text) }
    #expect(try await pair.socket.receive() == .text("a"))
    pair.send("c")
    #expect(try await pair.socket.receive() == .text("b"))
    #expect(try await pair.socket.receive() == .text("c"))
    pair.close()
    for _ in 0..<2 {
      await #expect(throws: WebSocketError.closed(code: .normal, reason: "")) {
        try await pair.socket.receive()
      }
    }
  }

  @Test func `cancelling a receive loses no message`() async throws {
    let pair = try await MemoryPeer()
    for number in 0..<200 {
      let receiving = Task { try await pair.socket.receive() }
      // Sometimes the message is first, sometimes the cancellation.
      if number % 2 == 0 { await Task.yield() }
      if number % 3 == 0 { receiving.cancel() }
      pair.send("\(number)")
      receiving.cancel()
      let text: String?
      do {
        text = try await receiving.joined.text
      } catch is CancellationError {
        text = try await pair.socket.receive().text
      }
      #expect(text == "\(number)")
    }
    pair.close()
  }

  @Test func `a cancelled receive leaves its message to another task`() async throws {
    let pair = try await MemoryPeer()
    let texts = Watched<[String]>([])
    let receivers = (0..<8).map { _ in
      Task {
        while let text = try await pair.socket.receive().text { texts.update { $0.append(text) } }
      }
    }
    for number in 0..<100 {
      pair.send("\(number)")
      if number % 20 == 10 { receivers[number / 20].cancel() }
    }
    await texts.wait { $0.count == 100 }
    #expect(Set(texts.value).count == 100)
    pair.close()
    for receiver in receivers {
      await #expect(throws: (any Error).self) { try await receiver.joined }
    }
  }

  @Test func `U03: a window of 16 messages carries ten thousand messages`() async throws {
    let pair = try await MemoryPeer(capacity: 4_096, maximumDelivery: 100)
    let values = pair.socket.values
    let count = 10_000
    for number in 0..<count { pair.send("\(number)") }
    await EventLoop.shared.settle(turns: 50)
    // A read delivers a few messages of about ten bytes; the others remain in the transport.
    #expect(pair.socket.metrics.messagesReceived < 40)
    var number = 0
    for try await message in values {
      if message.text != "\(number)" { Issue.record("\(message) is not \(number)") }
      number += 1
      if number == count { break }
    }
    #expect(pair.socket.metrics.messagesReceived == count)
    pair.close()
  }

  @Test func `F06: two consumers each receive all messages, at the pace of the slower one`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let (fast, slow) = (pair.socket.values, pair.socket.values)
    for number in 0..<1_000 { pair.send("\(number)") }
    let received = Watched(0)
    let reading = Task {
      for try await message in fast {
        #expect(message.text == "\(received.value)")
        received.update { $0 += 1 }
      }
    }
    await received.wait { $0 >= 16 }
    await EventLoop.shared.settle(turns: 50)
    #expect(received.value < 40)
    var number = 0
    for try await message in slow {
      #expect(message.text == "\(number)")
      number += 1
      if number == 1_000 { break }
    }
    await received.wait { $0 == 1_000 }
    pair.close()
    try await reading.joined
  }

  @Test func `a released consumer does not block other consumers`() async throws {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    var abandoned: WebSocketMessages? = pair.socket.values
    let recorder = SocketEventRecorder(pair.socket)
    for number in 0..<200 { pair.send("\(number)") }
    await EventLoop.shared.settle(turns: 50)
    #expect(recorder.value.messages.count < 40)
    withExtendedLifetime(abandoned) {}
    abandoned = nil
    await recorder.log.wait { $0.messages.count == 200 }
    pair.close()
    await recorder.waitUntilOver()
  }

  @Test func `T02: an iteration throws a lost connection once, to a waiting task too`() async throws
  {
    let pair = try await MemoryPeer()
    var iterator = pair.socket.values.makeAsyncIterator()
    var waiting = pair.socket.values.makeAsyncIterator()
    let reading = Task { () -> [String] in
      var received: [String] = []
      for _ in 0..<3 {
        do {
          received.append(try await waiting.next()?.text ?? "nil")
        } catch {
          received.append("\(error)")
        }
      }
      return received
    }
    pair.send("a")
    await EventLoop.shared.settle()
    pair.peer.transport.closeWriting()
    #expect(try await iterator.next() == .text("a"))
    await #expect(throws: WebSocketError.connectionLost) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(try await reading.joined == ["a", "\(WebSocketError.connectionLost)", "nil"])
    await #expect(throws: WebSocketError.connectionLost) { try await pair.socket.receive() }
  }

  @Test func `a full window does not prevent a WebSocket from closing`() async throws {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let values = pair.socket.values
    for number in 0..<1_000 { pair.send("\(number)") }
    await EventLoop.shared.settle(turns: 20)
    pair.socket.close()
    await pair.answerClose()
    let (code, _) = try await pair.socket.closed()
    #expect(code == .normal)
    // The delivered messages have no gap.
    var number = 0
    for try await message in values {
      #expect(message.text == "\(number)")
      number += 1
    }
    #expect(number >= 16 && number < 60)
  }

  @Test func `an iteration retains the WebSocket, and releases it at the end`() async throws {
    let (near, far) = MemoryTransport.pair()
    let server = WebSocket.server(over: far)
    server.connect()
    var client: WebSocket? = WebSocket.client(over: near)
    client?.connect()
    var values = client?.values
    client = nil
    try await server.connected()
    try server.send("still there")
    var iterator = values?.makeAsyncIterator()
    #expect(try await iterator?.next() == .text("still there"))
    (values, iterator) = (nil, nil)
    #expect(try await server.closed().code == .goingAway)
  }
}
