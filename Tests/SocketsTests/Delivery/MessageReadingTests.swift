import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Reading pauses while a buffer behind the messages is full.
@Suite(.workerPool) struct MessageReadingTests {
  /// A scheduler that runs nothing while its queue is suspended.
  private struct SuspendableScheduler {
    let queue = DispatchQueue(label: "test")
    let scheduler: SerialDispatchQueueScheduler

    init() {
      scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "test")
      queue.suspend()
    }
  }

  @Test func `reading stops while the buffer is full, and resumes when half of it is consumed`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let gate = SuspendableScheduler()
    let texts = Watched<[String]>([])
    let bag = DisposeBag()
    pair.socket.messages.filter { $0.text != nil }.map { $0.text ?? "" }
      .observe(on: gate.scheduler, buffer: .bounded(16, .suspend))
      .subscribe(onNext: { text in texts.update { $0.append(text) } }).disposed(by: bag)
    for number in 0..<1_000 { pair.send("\(number)") }
    let received = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(received == 16)
    gate.queue.resume()
    await texts.wait { $0.count == 1_000 }
    #expect(texts.value == (0..<1_000).map { "\($0)" })
    pair.close()
  }

  /// Checks that `values` reads `count` messages ahead, pauses, and then delivers all messages.
  private func expectReading<Values: AsyncSequence>(
    ahead count: Int,
    in values: (Observable<WebSocketMessage>) -> Values
  ) async throws where Values.Element == WebSocketMessage {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let values = values(pair.socket.messages)
    for number in 0..<100 { pair.send("\(number)") }
    let received = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    #expect(received == count)
    var number = 0
    for try await message in values {
      #expect(message.text == "\(number)")
      number += 1
      if number == 100 { break }
    }
    pair.close()
  }

  @Test func `an async sequence with a buffer reads as far as it has room`() async throws {
    try await expectReading(ahead: 4) { $0.values(buffer: .bounded(4, .suspend)) }
  }

  @Test func `values of messages reads 16 messages ahead, then pauses`() async throws {
    try await expectReading(ahead: 16) { $0.filter { $0.text != nil }.values }
  }

  @Test func `an observer without a buffer or with a dropping one does not pause reading`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let gate = SuspendableScheduler()
    let bag = DisposeBag()
    pair.socket.messages.observe(on: gate.scheduler).subscribe().disposed(by: bag)
    pair.socket.messages.observe(on: gate.scheduler, buffer: .latest).subscribe().disposed(by: bag)
    let read = Watched(0)
    pair.socket.messages.subscribe(onNext: { _ in read.update { $0 += 1 } }).disposed(by: bag)
    for number in 0..<100 { pair.send("\(number)") }
    await read.wait { $0 == 100 }
    gate.queue.resume()
    pair.close()
  }

  @Test func `disposing of a full buffer resumes the other observers`() async throws {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let gate = SuspendableScheduler()
    let full = pair.socket.messages
      .observe(on: gate.scheduler, buffer: .bounded(4, .suspend)).subscribe()
    let read = Watched(0)
    let bag = DisposeBag()
    pair.socket.messages.subscribe(onNext: { _ in read.update { $0 += 1 } }).disposed(by: bag)
    for number in 0..<100 { pair.send("\(number)") }
    let stuck = await EventLoop.shared.stableCount { read.value }
    #expect(stuck == 4)
    full.dispose()
    await read.wait { $0 == 100 }
    gate.queue.resume()
    pair.close()
  }

  @Test func `a closing WebSocket continues reading, and drops messages that do not fit`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 100)
    let gate = SuspendableScheduler()
    let log = Watched<[String]>([])
    let bag = DisposeBag()
    pair.socket.messages.observe(on: gate.scheduler, buffer: .bounded(4, .suspend))
      .subscribe(
        onNext: { message in log.update { $0.append(message.text ?? "") } },
        onError: { error in log.update { $0.append("\(error)") } },
        onCompleted: { log.update { $0.append("|") } }
      ).disposed(by: bag)
    for number in 0..<100 { pair.send("\(number)") }
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    pair.socket.close()
    pair.close()
    try await pair.socket.closed()
    gate.queue.resume()
    await log.wait { $0.last == "|" }
    #expect(log.value == ["0", "1", "2", "3", "|"])
  }

  @Test func `the last messages of a peer are kept while half a buffer is consumed in 30 seconds`()
    async throws
  {
    let pair = try await MemoryPeer()
    let values = pair.socket.messages.values(buffer: .bounded(2, .suspend))
    for number in 0..<20 { pair.send("\(number)") }
    pair.close()
    await EventLoop.shared.settle(turns: 100)
    var iterator = values.makeAsyncIterator()
    for number in 0..<20 {
      for _ in 0..<3 { await pair.advance(by: .milliseconds(7_500)) }
      #expect(try await iterator.next()?.text == "\(number)")
      await EventLoop.shared.settle(turns: 20)
    }
    #expect(try await iterator.next() == nil)
    try await pair.socket.closed()
  }

  @Test func `two threads fill and drain a buffer, and its counts stay correct`() async throws {
    let (near, _) = MemoryTransport.pair()
    let socket = WebSocket.client(over: near)
    let count = 20_000
    let taken = Watched(0)
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
    let subscription = socket.messages.observe(on: scheduler, buffer: .bounded(2, .suspend))
      .subscribe(onNext: { _ in taken.update { $0 += 1 } })
    EventLoop.shared.execute { for _ in 0..<count { socket.streams.emit(.text("a")) } }
    await taken.wait { $0 == count }
    scheduler.schedule(()) { Disposables.create() }.dispose()
    await EventLoop.shared.settle()
    subscription.dispose()
    #expect(!socket.streams.isFull)
  }
}
