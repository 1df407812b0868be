import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("Both ends of a link", .workerPool) struct LinkEndTests {
  private let conditions = WebSocketLink.Conditions()

  /// Two sides that a link without faults connects; the second one does not read.
  private func linkedSides() async -> (writer: Side, reader: Side) {
    let (first, firstEnd) = MemoryTransport.pair()
    let (second, secondEnd) = MemoryTransport.pair()
    let ends = (LinkEnd(firstEnd, conditions, nil), LinkEnd(secondEnd, conditions, nil))
    LinkEnd.pair(ends.0, ends.1)
    ends.0.start()
    ends.1.start()
    let sides = (writer: Side(first), reader: Side(second))
    for side in [sides.writer, sides.reader] { await side.start() }
    second.setReading(false)
    return sides
  }

  @Test(arguments: [false, true])
  func `the end of a side follows its bytes to a reader that pauses`(bothEnd: Bool) async {
    let (writer, reader) = await linkedSides()
    if bothEnd {
      reader.transport.closeWriting()
      await writer.log.wait { $0.hasEnded }
    }
    // More than a transport holds, and less than the link holds besides.
    writer.send(120_000)
    await writer.log.wait { $0.sent == 120_000 }
    writer.transport.closeWriting()
    await writer.transport.loop.settle(turns: 10)
    reader.transport.setReading(true)
    await reader.log.wait { $0.hasEnded || $0.isClosed }
    #expect(reader.log.value.received == 120_000)
  }

  @Test(arguments: [120_000, 500_000])
  func `a side that has closed delays no writer, and its bytes still arrive`(count: Int) async {
    let (writer, reader) = await linkedSides()
    writer.send(count)
    await writer.transport.loop.settle(turns: 10)
    let sent = writer.log.value.sent
    #expect(sent >= 120_000)
    writer.transport.close()
    reader.send(300_000)
    await reader.log.wait { $0.sent == 300_000 || $0.isClosed }
    await writer.transport.loop.settle(turns: 10)
    reader.transport.setReading(true)
    await reader.log.wait { $0.hasEnded || $0.isClosed }
    #expect(reader.log.value.sent == 300_000)
    #expect(reader.log.value.received == sent)
  }
}

/// A side of a link, which counts its bytes.
private final class Side: TransportHandler {
  struct Log {
    var isOpen = false
    /// The number of bytes that are to be sent, or were.
    var queued = 0
    var sent = 0
    var received = 0
    var hasEnded = false
    var isClosed = false
  }

  let log = Watched(Log())
  let transport: MemoryTransport

  init(_ transport: MemoryTransport) { self.transport = transport }

  func start() async {
    transport.start(self)
    await log.wait { $0.isOpen }
  }

  /// Sends `count` bytes, now and when there is room.
  func send(_ count: Int) {
    transport.loop.execute {
      self.log.update { $0.queued += count }
      self.transportWritable()
    }
  }

  func transportOpened() { log.update { $0.isOpen = true } }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    log.update { $0.received += count }
  }

  func transportWritable() {
    let value = log.value
    let count = [UInt8](repeating: 0, count: value.queued - value.sent)
      .withUnsafeBytes { transport.write($0) }
    log.update { $0.sent += count }
  }

  func transportEnded() { log.update { $0.hasEnded = true } }

  func transportClosed(_ error: TransportError?) { log.update { $0.isClosed = true } }
}
