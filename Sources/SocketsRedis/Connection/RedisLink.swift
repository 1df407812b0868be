import Sockets

/// Moves bytes between one connection to Redis and the values that they contain.
///
/// Used on the transport's loop only.
final class RedisLink: TransportHandler, @unchecked Sendable {
  enum Event {
    case opened
    /// The whole values of one read, possibly none.
    case received([RESPValue])
    case failed(RedisError)
  }

  private let transport: any Transport
  private let handle: (Event) -> Void
  private var parser: RESPParser
  private var hasAnswered = false
  private var isClosing = false
  /// The bytes that the transport has not accepted, from `written` on.
  private var unwritten: [UInt8] = []
  private var written = 0

  init(_ transport: any Transport, limit: Int, _ handle: @escaping (Event) -> Void) {
    (self.transport, self.handle) = (transport, handle)
    parser = RESPParser(limit: limit)
  }

  func start() { transport.start(self) }

  func send(_ bytes: [UInt8]) {
    if written == unwritten.count {
      (unwritten, written) = (bytes, 0)
      flush()
    } else {
      unwritten.append(contentsOf: bytes)
    }
  }

  private func flush() {
    while written < unwritten.count {
      let count = unwritten.withUnsafeBytes {
        transport.write(UnsafeRawBufferPointer(rebasing: $0[written...]))
      }
      written += count
      if count == 0 { break }
    }
    if written == unwritten.count { (unwritten, written) = ([], 0) }
  }

  func setReading(_ isReading: Bool) { transport.setReading(isReading) }

  /// Closes the connection, and reports nothing more.
  func drop() {
    isClosing = true
    transport.close()
  }

  /// Closes the connection after the bytes that the system has; Redis answers by closing too.
  func close() {
    isClosing = true
    transport.closeWriting()
    transport.loop.schedule(after: .seconds(1)) { [transport] in transport.close() }
  }

  // MARK: On the loop

  func transportOpened() { if !isClosing { handle(.opened) } }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    if isClosing { return }
    parser.append(bytes)
    var values: [RESPValue] = []
    do throws(RedisAnswerError) {
      while let value = try parser.next() { values.append(value) }
    } catch {
      if !values.isEmpty { handle(.received(values)) }
      let isOther = !hasAnswered && values.isEmpty
      return fail(isOther ? .notRedis(answer: parser.unread) : .malformedAnswer(error))
    }
    hasAnswered = hasAnswered || !values.isEmpty
    handle(.received(values))
  }

  func transportWritable() { flush() }

  func transportEnded() { fail(.closed) }

  func transportClosed(_ error: TransportError?) {
    fail(error.map(RedisError.transport) ?? .closed)
  }

  private func fail(_ error: RedisError) {
    if isClosing { return }
    drop()
    handle(.failed(error))
  }
}
