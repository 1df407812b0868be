import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

/// Who writes, what others may do meanwhile, and that all bytes arrive once and in order.
@Suite("Departing bytes", .workerPool)
struct WriteSchedulerTests {
  private func opened(
    _ configuration: WebSocketConfiguration = .init(),
    request: String = RawClient.request
  ) async throws -> (socket: WebSocket, transport: HeldTransport) {
    let transport = HeldTransport()
    let socket = WebSocket.server(over: transport, configuration: configuration.onStoppedClock)
    socket.connect()
    transport.receive(Array(request.utf8))
    try await socket.connected()
    await transport.loop.settle()
    transport.forget()
    return (socket, transport)
  }

  private func openedCompressed() async throws -> (socket: WebSocket, transport: HeldTransport) {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    let offer = "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    return try await opened(
      configuration, request: RawClient.request.replacing("\r\n\r\n", with: offer))
  }

  /// The lengths of the messages in compressed output, and -1 for a close frame.
  private static func lengths(in output: [UInt8]) -> [Int] {
    var connection = Connection(.client(MaskKeys(fixedKeys)))
    connection.use(MessageDeflateTests.deflate())
    return connection.events(in: output).map { event in
      switch event {
      case .message(let message): message.byteCount
      case .peerClosed: -1
      default: -2
      }
    }
  }

  /// Begins to send from another thread, and returns while the transport holds the write.
  private func heldSend(_ message: String, _ socket: WebSocket, _ transport: HeldTransport) async {
    transport.holdNextWrite()
    Thread.detachNewThread { try? socket.send(message) }
    await transport.log.wait { $0.isHeld }
  }

  @Test func `two threads' messages arrive whole, each thread's in order, a few bytes at a time`()
    async throws
  {
    let (socket, transport) = try await opened()
    transport.limit { $0 % 13 + 1 }
    for side in 0..<2 {
      Thread.detachNewThread {
        for number in 0..<1000 { try? socket.send("\(side) \(number)") }
      }
    }
    // Each side's 10 numbers of one digit, 90 of two, and so on; 2 bytes of header, 2 before the number.
    let sum = 2 * (1000 * 4 + 10 + 90 * 2 + 900 * 3)
    await transport.log.wait { $0.written.count == sum }
    let texts = Recorder.shortTexts(in: transport.log.value.written)
    for side in 0..<2 {
      #expect(texts.filter { $0.hasPrefix("\(side) ") } == (0..<1000).map { "\(side) \($0)" })
    }
    #expect(!transport.log.value.overlapped)
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test func `who sends during a write waits for nobody, and goes behind it`() async throws {
    let (socket, transport) = try await opened()
    let before = socket.metrics
    await heldSend("first", socket, transport)
    #expect(socket.metrics.queuedBytes == 7)
    #expect(socket.metrics.bytesSent == before.bytesSent)
    // It would never return if it waited for the write.
    try socket.send("second")
    #expect(socket.metrics.queuedBytes == 15)
    transport.release()
    await transport.log.wait { $0.written.count == 15 }
    #expect(Recorder.shortTexts(in: transport.log.value.written) == ["first", "second"])
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
    #expect(socket.metrics.bytesSent == before.bytesSent + 15)
    #expect(!transport.log.value.overlapped)
  }

  @Test(.enabled(if: MessageDeflate.isAvailable, "There is no zlib."))
  func `a long compressed message sent during a write leaves without another event`() async throws {
    let (socket, transport) = try await openedCompressed()
    await heldSend("first", socket, transport)
    try socket.send(Data(count: 100_000))
    transport.release()
    await transport.log.wait { Self.lengths(in: $0.written) == [5, 100_000] }
    await transport.loop.settle()
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test(
    .enabled(if: MessageDeflate.isAvailable, "There is no zlib."),
    arguments: [2 << 16, 3 << 16, 100_000, 1 << 20])
  func `an empty message and the close frame leave behind a long compressed message`(
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

  @Test func `what a write leaves goes before what was sent meanwhile`() async throws {
    let (socket, transport) = try await opened()
    transport.limit { _ in 3 }
    await heldSend("first", socket, transport)
    try socket.send("second")
    transport.release()
    await transport.log.wait { $0.written.count == 15 }
    #expect(Recorder.shortTexts(in: transport.log.value.written) == ["first", "second"])
  }

  @Test func `room that is made before a write has returned is not lost`() async throws {
    let (socket, transport) = try await opened()
    transport.limit { $0 == 0 ? 3 : .max }
    transport.makesRoomInWrite()
    Thread.detachNewThread { try? socket.send("first") }
    await transport.log.wait { $0.written.count == 7 }
    #expect(Recorder.shortTexts(in: transport.log.value.written) == ["first"])
  }

  @Test func `a close during a write goes behind it, and so does the half close`() async throws {
    let (socket, transport) = try await opened()
    await heldSend("first", socket, transport)
    // The peer closes too: nothing more is to be said.
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

  @Test func `the half close is made outside of the lock, as writes are`() async throws {
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

  @Test func `a connection that breaks during a write tells its end, and nothing is sent again`()
    async throws
  {
    let (socket, transport) = try await opened()
    transport.limit { _ in 0 }
    await heldSend("first", socket, transport)
    transport.fail(.reset)
    _ = try await socket.closed()
    transport.release()
    await transport.loop.settle()
    #expect(throws: WebSocketError.notConnected(.disconnected)) { try socket.send("second") }
    #expect(transport.log.value.written == [])
    #expect(socket.metrics.queuedBytes == 0)
  }

  @Test func `a task that waits for room has it when the write that took it has ended`()
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
    await heldSend(String(repeating: "x", count: 110), socket, transport)
    #expect(!socket.isWritable)
    let sending = Task { try await socket.sendWhenWritable("last") }
    // The loop has looked meanwhile, and found no room.
    await reports.wait { $0.last == false }
    await transport.loop.settle()
    transport.release()
    try await sending.joined
    await reports.wait { $0 == [true, false, true] || $0 == [false, true] }
    await transport.log.wait { $0.written.count == 112 + 6 }
  }

  @Test func `all who wait for room send where the transport takes everything at once`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 1_000
    configuration.keepalive = nil
    let (socket, transport) = try await opened(configuration)
    await heldSend(String(repeating: "x", count: 1_100), socket, transport)
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

  @Test func `who observes the room during a write is told when the write has made some`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.sendHighWaterMark = 100
    let (socket, transport) = try await opened(configuration)
    await heldSend(String(repeating: "x", count: 110), socket, transport)
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

  @Test func `a server that stopped reading for a long write reads on when it has ended`()
    async throws
  {
    let (socket, transport) = try await opened()
    let bag = DisposeBag()
    socket.messages.subscribe().disposed(by: bag)
    await transport.loop.settle()
    transport.forget()
    await heldSend(String(repeating: "x", count: 2 << 20), socket, transport)
    // Between the fragments of one it answers.
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

extension Recorder {
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

/// A transport whose writes the test holds, and of which it says how many bytes each one takes.
private final class HeldTransport: Transport, @unchecked Sendable {
  struct Log {
    var written: [UInt8] = []
    var writes = 0
    /// Whether a write is under way that the test is to release.
    var isHeld = false
    /// Whether two writes were under way at once.
    var overlapped = false
    /// How much was written when writing was closed.
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
  // Protects itself.
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
      gate.wait()
      log.update { $0.isHeld = false }
    }
    let taken = min(bytes.count, plan.limit(log.value.writes))
    if taken < bytes.count {
      tellRoom()
      if plan.makesRoomInWrite {
        // The handler has heard of the room before it hears how much was taken.
        let heard = DispatchSemaphore(value: 0)
        loop.execute { heard.signal() }
        heard.wait()
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
