import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

/// Concurrent sends during a write: all bytes arrive once and in order.
@Suite("The write scheduler", .workerPool)
struct WriteSchedulerTests {
  private func opened(
    _ configuration: WebSocketConfiguration = .init(),
    request: String = RawClient.request
  ) async throws -> (socket: WebSocket, transport: BlockingTransport) {
    let transport = BlockingTransport()
    let socket = WebSocket.server(over: transport, configuration: configuration.onStoppedClock)
    socket.connect()
    transport.receive(Array(request.utf8))
    try await socket.connected()
    await transport.loop.settle()
    transport.forget()
    return (socket, transport)
  }

  private func openedCompressed() async throws -> (socket: WebSocket, transport: BlockingTransport)
  {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    let offer = "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    return try await opened(
      configuration, request: RawClient.request.replacing("\r\n\r\n", with: offer))
  }

  /// The lengths of the messages in compressed output, and -1 for a close frame.
  private static func lengths(in output: [UInt8]) -> [Int] {
    var session = Session.open(.client(MaskKeys(fixedKeys)))
    session.codec.use(MessageDeflateTests.deflate())
    return session.events(in: output).map { event in
      switch event {
      case .message(let message): message.byteCount
      case .peerClosed: -1
      default: -2
      }
    }
  }

  /// Sends from another thread, and returns while the transport blocks the write.
  private func blockedSend(_ message: String, _ socket: WebSocket, _ transport: BlockingTransport)
    async
  {
    // The loop would write for the thread if it had something to do for the socket just then.
    await transport.loop.settle()
    transport.holdNextWrite()
    Thread.detachNewThread { try? socket.send(message) }
    await transport.log.wait { $0.isHeld }
  }

  @Test func `messages of two threads arrive whole and in order over partial writes`()
    async throws
  {
    let (socket, transport) = try await opened()
    transport.limit { $0 % 13 + 1 }
    for side in 0..<2 {
      Thread.detachNewThread {
        for number in 0..<1000 { try? socket.send("\(side) \(number)") }
      }
    }
    // Per side 10 numbers of one digit, 90 of two, and so on; 2 header bytes, 2 before the number.
    let sum = 2 * (1000 * 4 + 10 + 90 * 2 + 900 * 3)
    await transport.log.wait { $0.written.count == sum }
    let texts = TransportRecorder.shortTexts(in: transport.log.value.written)
    for side in 0..<2 {
      #expect(texts.filter { $0.hasPrefix("\(side) ") } == (0..<1000).map { "\(side) \($0)" })
    }
    #expect(!transport.log.value.overlapped)
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test func `a send during a write does not block, and is written after it`() async throws {
    let (socket, transport) = try await opened()
    let before = socket.metrics
    await blockedSend("first", socket, transport)
    #expect(socket.metrics.queuedBytes == 7)
    #expect(socket.metrics.bytesSent == before.bytesSent)
    // `send` would never return if it waited for the write.
    try socket.send("second")
    #expect(socket.metrics.queuedBytes == 15)
    transport.release()
    await transport.log.wait { $0.written.count == 15 }
    #expect(TransportRecorder.shortTexts(in: transport.log.value.written) == ["first", "second"])
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
    #expect(socket.metrics.bytesSent == before.bytesSent + 15)
    #expect(!transport.log.value.overlapped)
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a long compressed message that is sent during a write is written without another event`()
    async throws
  {
    let (socket, transport) = try await openedCompressed()
    await blockedSend("first", socket, transport)
    try socket.send(Data(count: 100_000))
    transport.release()
    await transport.log.wait { Self.lengths(in: $0.written) == [5, 100_000] }
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test(
    .enabled(if: MessageDeflate.isAvailable, "There is no zlib."),
    arguments: [2 << 16, 3 << 16, 100_000, 1 << 20])
  func `an empty message and the close frame are written after a long compressed message`(
    count: Int
  ) async throws {
    let (socket, transport) = try await openedCompressed()
    transport.loop.execute {
      try? socket.send(Data(count: count))
      try? socket.send("")
    }
    await transport.log.wait { Self.lengths(in: $0.written) == [count, 0] }
    transport.loop.execute {
      try? socket.send(Data(count: count))
      socket.close()
    }
    await transport.log.wait { Self.lengths(in: $0.written) == [count, 0, count, -1] }
  }

  @Test func `the rest of a partial write precedes messages that were sent meanwhile`() async throws
  {
    let (socket, transport) = try await opened()
    transport.limit { _ in 3 }
    await blockedSend("first", socket, transport)
    try socket.send("second")
    transport.release()
    await transport.log.wait { $0.written.count == 15 }
    #expect(TransportRecorder.shortTexts(in: transport.log.value.written) == ["first", "second"])
  }

  @Test func `room that is reported before a write returns is not lost`() async throws {
    let (socket, transport) = try await opened()
    transport.limit { $0 == 0 ? 3 : .max }
    transport.makesRoomInWrite()
    Thread.detachNewThread { try? socket.send("first") }
    await transport.log.wait { $0.written.count == 7 }
    #expect(TransportRecorder.shortTexts(in: transport.log.value.written) == ["first"])
  }

  @Test func `a close during a write follows it, and so does the half close`() async throws {
    let (socket, transport) = try await opened()
    await blockedSend("first", socket, transport)
    // The peer closes too, so the half close is due.
    socket.close(code: .goingAway)
    #expect(socket.state == .disconnecting)
    transport.receive(Wire.frame(0x88, [0x03, 0xE9], masked: true))
    await transport.loop.settle()
    #expect(transport.log.value.endedAfter == nil)
    transport.release()
    await transport.log.wait { $0.endedAfter != nil }
    let closeFrame = Wire.frame(0x88, [0x03, 0xE9], masked: false)
    #expect(transport.log.value.written == Wire.frame(0x81, "first", masked: false) + closeFrame)
    #expect(transport.log.value.endedAfter == transport.log.value.written.count)
  }

  @Test func `the half close is called outside the lock, as writes are`() async throws {
    let (socket, transport) = try await opened()
    let queued = Watched<Int?>(nil)
    // It would never return if the lock were held.
    transport.whenEnded { queued.update { $0 = socket.metrics.queuedBytes } }
    socket.close()
    transport.receive(Wire.frame(0x88, [0x03, 0xE8], masked: true))
    await transport.log.wait { $0.endedAfter != nil }
    #expect(queued.value == 0)
    transport.whenEnded {}
  }

  @Test func `a connection that breaks during a write reports its end, and resends nothing`()
    async throws
  {
    let (socket, transport) = try await opened()
    transport.limit { _ in 0 }
    await blockedSend("first", socket, transport)
    transport.fail(.reset)
    _ = try await socket.closed()
    transport.release()
    await transport.loop.settle()
    #expect(throws: WebSocketError.notConnected(.disconnected)) { try socket.send("second") }
    #expect(transport.log.value.written == [])
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test func `a task that waits for room continues when the write has ended`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 100
    let (socket, transport) = try await opened(configuration)
    let reports = Watched<[Bool]>([])
    let bag = DisposeBag()
    socket.writability
      .subscribe(onNext: { isWritable in reports.update { $0.append(isWritable) } })
      .disposed(by: bag)
    await blockedSend(String(repeating: "x", count: 110), socket, transport)
    #expect(!socket.isWritable)
    let sending = Task { try await socket.sendWhenWritable("last") }
    // The loop has found no room meanwhile.
    await reports.wait { $0.last == false }
    await transport.loop.settle()
    transport.release()
    try await sending.joined
    await reports.wait { $0 == [true, false, true] || $0 == [false, true] }
    await transport.log.wait { $0.written.count == 112 + 6 }
  }

  @Test func `all tasks that wait for room send when the transport accepts everything at once`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 1_000
    configuration.keepalive = nil
    let (socket, transport) = try await opened(configuration)
    await blockedSend(String(repeating: "x", count: 1_100), socket, transport)
    let begun = Watched(0)
    let sending = Task {
      try await withThrowingTaskGroup { group in
        for _ in 0..<100 {
          group.addTask {
            begun.update { $0 += 1 }
            try await socket.sendWhenWritable(String(repeating: "y", count: 600))
          }
        }
        try await group.waitForAll()
      }
    }
    await begun.wait { $0 == 100 }
    await transport.loop.settle(turns: 20)
    transport.release()
    try await sending.joined
  }

  @Test func `an observer of the room during a write is notified when the write has made some`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 100
    let (socket, transport) = try await opened(configuration)
    await blockedSend(String(repeating: "x", count: 110), socket, transport)
    let reports = Watched<[Bool]>([])
    let bag = DisposeBag()
    socket.writability
      .subscribe(onNext: { isWritable in reports.update { $0.append(isWritable) } })
      .disposed(by: bag)
    await transport.loop.settle()
    #expect(reports.value == [false])
    transport.release()
    await reports.wait { $0 == [false, true] }
  }

  @Test func `a server that paused reading for a long write resumes after it`()
    async throws
  {
    let (socket, transport) = try await opened()
    let bag = DisposeBag()
    socket.messages.subscribe().disposed(by: bag)
    await transport.loop.settle()
    transport.forget()
    await blockedSend(String(repeating: "x", count: 2 << 20), socket, transport)
    // The pong is sent between two fragments.
    transport.receive(Wire.frame(0x81, "hello", masked: true))
    await transport.loop.settle()
    #expect(transport.log.value.readings == [])
    try socket.send(String(repeating: "y", count: 2 << 20))
    transport.receive(Wire.frame(0x81, "hello", masked: true))
    await transport.log.wait { $0.readings == [false] }
    transport.release()
    await transport.log.wait { $0.readings == [false, true] }
  }
}

extension TransportRecorder {
  /// The texts of whole frames of fewer than 126 bytes, unmasked.
  fileprivate static func shortTexts(in bytes: [UInt8]) -> [String] {
    var texts: [String] = []
    var rest = bytes[...]
    while rest.count >= 2 {
      let length = Int(rest[rest.startIndex + 1])
      guard rest.first == 0x81, rest.count >= 2 + length else { break }
      texts.append(String(decoding: rest.dropFirst(2).prefix(length), as: UTF8.self))
      rest = rest.dropFirst(2 + length)
    }
    return texts
  }
}

/// A transport whose writes block and are partial as the test decides.
private final class BlockingTransport: Transport, @unchecked Sendable {
  struct Log {
    var written: [UInt8] = []
    var writes = 0
    /// Whether a write waits for `release()`.
    var isHeld = false
    /// Whether two writes overlapped.
    var overlapped = false
    /// The number of bytes written before the half close.
    var endedAfter: Int?
    var readings: [Bool] = []
  }

  private struct Plan {
    var limit: @Sendable (_ write: Int) -> Int = { _ in .max }
    var holdsNext = false
    var makesRoomInWrite = false
    var whenEnded: @Sendable () -> Void = {}
    var isWriting = false
    var handler: (any TransportHandler)?
  }

  let loop = EventLoop.shared
  let log = Watched(Log())
  // Synchronized by its own lock.
  private let plan = Locked(Plan())
  private let gate = DispatchSemaphore(value: 0)

  func limit(_ limit: @escaping @Sendable (_ write: Int) -> Int) {
    plan.withLock { $0.limit = limit }
  }
  func holdNextWrite() { plan.withLock { $0.holdsNext = true } }
  func makesRoomInWrite() { plan.withLock { $0.makesRoomInWrite = true } }
  func whenEnded(_ body: @escaping @Sendable () -> Void) { plan.withLock { $0.whenEnded = body } }
  func release() { gate.signal() }
  func forget() { log.update { $0 = Log() } }

  func receive(_ bytes: [UInt8]) {
    loop.execute {
      let handler = self.plan.withLock { $0.handler }
      bytes.withUnsafeBytes { handler?.transportReceived($0) }
    }
  }

  func fail(_ error: TransportError) {
    loop.execute { self.end(error) }
  }

  func replaceHandler(with new: any TransportHandler) { plan.withLock { $0.handler = new } }

  private func end(_ error: TransportError?) {
    let handler = plan.withLock { $0.handler.take() }
    handler?.transportClosed(error)
  }

  private func tellRoom() {
    loop.execute { self.plan.withLock { $0.handler }?.transportWritable() }
  }

  // MARK: Transport

  var acknowledgement: Acknowledgement? { nil }
  var peerAddress: NetworkAddress? { nil }

  func start(_ handler: any TransportHandler) {
    plan.withLock { $0.handler = handler }
    loop.execute { handler.transportOpened() }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let (plan, overlaps) = plan.withLock { plan in
      defer { (plan.holdsNext, plan.isWriting) = (false, true) }
      return (plan, plan.isWriting)
    }
    if overlaps { log.update { $0.overlapped = true } }
    if plan.holdsNext {
      log.update { $0.isHeld = true }
      // A loop that waits would stop the sockets of all tests.
      if loop.isCurrent { Issue.record("The loop writes.") } else { gate.wait() }
      log.update { $0.isHeld = false }
    }
    let taken = min(bytes.count, plan.limit(log.value.writes))
    if taken < bytes.count {
      tellRoom()
      if plan.makesRoomInWrite {
        // The handler is notified of room before the write returns.
        let received = DispatchSemaphore(value: 0)
        loop.execute { received.signal() }
        received.wait()
      }
    }
    self.plan.withLock { $0.isWriting = false }
    log.update {
      $0.writes += 1
      $0.written += bytes.prefix(taken)
    }
    return taken
  }

  func setReading(_ isReading: Bool) { log.update { $0.readings.append(isReading) } }
  func closeWriting() {
    plan.withLock { $0.whenEnded }()
    log.update { $0.endedAfter = $0.endedAfter ?? $0.written.count }
  }
  func close() { loop.execute { self.end(nil) } }
}
