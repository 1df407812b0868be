import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Over memory: what requests mean for the messages that are kept for the first observer.
@Suite("A request over a WebSocket without an observer", .workerPool)
struct RequestBacklogTests {
  private let log = RequestLog()

  private func start(_ id: Int, over pair: MemoryPeer) {
    log.start(id, pair.socket.request(Ask(id: id), as: Answer.self, matching: \.id))
  }

  private func answer(_ id: Int, _ pair: MemoryPeer) {
    pair.send(#"{"id":\#(id),"text":"reply"}"#)
  }

  @Test func `the messages kept for the first observer stay kept`() async throws {
    let pair = try await MemoryPeer()
    pair.send("before")
    start(1, over: pair)
    pair.send("between")
    answer(1, pair)
    pair.send("after")
    await log.wait(for: 1)
    let recorder = SocketEventRecorder(pair.socket)
    pair.close()
    await recorder.waitUntilOver()
    let texts = recorder.value.events.compactMap { event in
      if case .message(let message) = event { message.text } else { nil }
    }
    #expect(texts == ["before", "between", "after"])
    #expect(recorder.value.events.first == .connected)
    #expect(log.results == ["1: reply"])
  }

  @Test func `replies take no room from the messages that are kept`() async throws {
    let pair = try await MemoryPeer()
    for id in 0..<100 {
      start(id, over: pair)
      answer(id, pair)
      await log.wait(for: id + 1)
    }
    for number in 0..<16 { pair.send("\(number)") }
    start(100, over: pair)
    answer(100, pair)
    await log.wait(for: 101)
    #expect(pair.socket.pendingRequests.metrics.discardedMessages == 0)
    let recorder = SocketEventRecorder(pair.socket)
    pair.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.events.count == 18)
  }

  @Test func `a waiting request reads past the kept messages, and discards what follows them`()
    async throws
  {
    let pair = try await MemoryPeer()
    for number in 0..<40 { pair.send("\(number)") }
    // Reading has paused before the reply.
    let read = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(read < 40)
    start(1, over: pair)
    answer(1, pair)
    await log.wait(for: 1)
    #expect(log.results == ["1: reply"])
    #expect(pair.socket.pendingRequests.metrics.discardedMessages == 40 - 16)

    // Without a request reading pauses again, and nothing is lost.
    for number in 40..<80 { pair.send("\(number)") }
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    let texts = Watched<[String]>([])
    let subscription = pair.socket.messages
      .subscribe(onNext: { message in texts.update { $0.append(message.text ?? "") } })
    await texts.wait { $0.last == "79" }
    #expect(texts.value == (Array(0..<16) + Array(40..<80)).map { "\($0)" })
    #expect(pair.socket.pendingRequests.metrics.discardedMessages == 24)
    subscription.dispose()
  }

  @Test func `a reply waits behind the messages that a slow consumer has not taken`() async throws {
    let pair = try await MemoryPeer()
    var messages = pair.socket.values.makeAsyncIterator()
    start(1, over: pair)
    for number in 0..<40 { pair.send("\(number)") }
    answer(1, pair)
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(log.results == [])
    for _ in 0..<40 { _ = try await messages.next() }
    await log.wait(for: 1)
    #expect(log.results == ["1: reply"])
  }

  @Test func `the end of a connection that is not observed fails its requests`() async throws {
    let ends: [(String, (MemoryPeer) async -> Void)] = [
      ("lost(closed 1000)", { $0.close() }),
      ("lost(closed 1006)", { $0.socket.drop() }),
      ("lost(cut)", { $0.peer.transport.closeWriting() }),
      (
        "lost(closed 1000)",
        {
          $0.socket.close()
          await $0.answerClose()
        }
      ),
      (
        "lost(\(WebSocketError.closeTimedOut(after: .seconds(5))))",
        {
          $0.socket.close()
          _ = await $0.peer.closeCode()
          await $0.advance(by: .seconds(5))
        }
      ),
    ]
    for (expected, end) in ends {
      let pair = try await MemoryPeer()
      let log = RequestLog()
      log.start(
        1,
        pair.socket.request(
          Ask(id: 1), as: Answer.self, matching: \.id, timeout: .seconds(60)))
      await end(pair)
      await log.wait(for: 1)
      #expect(log.results == ["1: \(expected)"])
    }
  }

  @Test func `the deadline of a request follows the clock of the WebSocket`() async throws {
    let pair = try await MemoryPeer()
    start(1, over: pair)
    await pair.advance(by: .seconds(10))
    await log.wait(for: 1)
    #expect(log.results == ["1: timed out after 10.0 seconds"])
    answer(1, pair)
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(pair.socket.pendingRequests.metrics.lateReplies == 1)
    pair.close()
  }

  @Test func `frames show the replies too`() async throws {
    let pair = try await MemoryPeer()
    let frames = Watched<[String]>([])
    let subscription = pair.socket.frames
      .subscribe(onNext: { frame in
        frames.update { $0.append(String(decoding: frame.payload, as: UTF8.self)) }
      })
    start(1, over: pair)
    answer(1, pair)
    await frames.wait { $0.count == 1 }
    #expect(frames.value == [#"{"id":1,"text":"reply"}"#])
    subscription.dispose()
  }
}
