#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension MessageCodec {
  /// Sends a message: puts it into the output, or into the queue behind messages not framed yet.
  ///
  /// It is compressed if that was agreed upon. A payload longer than the fragment size is framed in
  /// fragments as the output is written: see `frame(upTo:)`.
  @inline(__always)
  mutating func send(_ message: WebSocketMessage) {
    counts.messagesSent += 1
    if !queue.isNone || !writeOneFrame(message) { enqueue(.message(message)) }
  }

  /// How many bytes are compressed in one step: at most some 2 ms of work.
  private static let pieceSize = 64 << 10

  /// Whether a message of `count` bytes is sent as one frame.
  ///
  /// With an empty output, up to 16 fragment sizes are: a transport accepts most of them at once.
  func isOneFrame(_ count: Int) -> Bool {
    count <= fragmentSize || output.isEmpty && (count - 1) / 16 < fragmentSize
  }

  /// Whether a message of `count` bytes, which is not short, is sent as one frame: unless compressing
  /// it in one step would take too long.
  ///
  /// Mutating, so that the codec is read where it is and not copied.
  @inline(never) private mutating func isOneLongFrame(_ count: Int) -> Bool {
    if count > Self.pieceSize, deflater.value?.compresses(count) == true { return false }
    return isOneFrame(count)
  }

  private mutating func enqueue(_ item: UnframedMessages.Item) {
    if queue.isNone { queue.value = UnframedMessages() }
    queue.update { $0.append(item) }
    // A long message is compressed as its fragments leave, not by each sender behind it.
    if queue.value?.isCompressingInPieces != true { frame() }
  }

  /// Frames queued messages until the output has `limit` bytes; call it when bytes were written.
  ///
  /// One call compresses about 64 KiB, which may give no output although more is queued.
  ///
  /// 5.4: control frames may stand between the fragments of a message. They follow the frames in
  /// the output but not the queue: a long message delays no ping, pong or answer to a close frame.
  mutating func frame(upTo limit: Int = 256 << 10) {
    var compressed = 0
    while output.count < limit, compressed < Self.pieceSize || queue.value?.hasPayload == true,
      let next = takeNext()
    {
      frame(next)
      switch next {
      case .compress(_, let range, _): compressed += range.count
      case .message(let message) where !deflater.isNone: compressed += message.byteCount
      case .message, .fragment, .close: break
      }
    }
  }

  /// Frames the whole queue.
  private mutating func frameAll() {
    while let next = takeNext() { frame(next) }
  }

  private mutating func takeNext() -> UnframedMessages.Next? {
    if queue.isNone { return nil }
    var next: UnframedMessages.Next?
    let fragmentSize = fragmentSize
    queue.update { next = $0.next(fragmentSize: fragmentSize, pieceSize: Self.pieceSize) }
    if queue.value?.isEmpty == true { queue.value = nil }
    return next
  }

  private mutating func frame(_ next: UnframedMessages.Next) {
    switch next {
    case .message(let message): begin(message)
    case .compress(let message, let range, let isLast):
      var payload = Data()
      message.withPayload { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
        deflater.update { $0.deflate(piece: piece, isLast: isLast) { payload = Data($0) } }
      }
      queue.update { $0.setPayload(payload) }
    case .fragment(let payload, let range, let opcode, let isFinal, let isCompressed):
      payload.withPayload { bytes in
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[range])
        write(opcode, bytes, isFinal: isFinal, isCompressed: isCompressed)
      }
    case .close(let payload): write(payload)
    }
  }

  /// Writes a message as one frame, or begins to frame it in fragments.
  private mutating func begin(_ message: WebSocketMessage) {
    if writeOneFrame(message) { return }
    let isCompressed = deflater.value?.compresses(message.byteCount) ?? false
    // The queue is empty when this message was the last one in it.
    if queue.isNone { queue.value = UnframedMessages() }
    queue.update { $0.begin(.init(message, isCompressed: isCompressed)) }
  }

  /// Puts a fragment of a message into the output, uncompressed; the first one begins the message.
  ///
  /// 5.4: other messages wait until its last fragment; control frames do not.
  ///
  /// - Parameter opcode: opcode of the message, the same for all of its fragments
  mutating func sendFragment(_ opcode: Opcode, _ data: Data, isFinal: Bool) {
    // Queued messages precede this one.
    if !isSendingFragments { frameAll() }
    let opcode = isSendingFragments ? .continuation : opcode
    data.withUnsafeBytes { write(opcode, $0, isFinal: isFinal) }
    if isFinal { counts.messagesSent += 1 }
    if queue.isNone, !isFinal { queue.value = UnframedMessages() }
    queue.update { $0.isSendingFragments = !isFinal }
    if queue.value?.isEmpty == true { queue.value = nil }
    frame()
  }

  /// Sends a close frame behind the queued messages; nothing may be sent after it.
  ///
  /// In the middle of a message that the application sends in fragments, the close frame is sent at
  /// once, and the queue is dropped.
  mutating func close(_ payload: ClosePayload) {
    if queue.isNone || isSendingFragments {
      // 5.5.1: no data frame follows a close frame.
      queue.value = nil
      write(payload)
    } else {
      enqueue(.close(payload))
    }
  }

  /// Drops everything unfinished, and sends a close frame at once unless one was written.
  ///
  /// Queued messages are dropped: there is no guarantee that the peer would still process them.
  mutating func closeAtOnce(_ close: ClosePayload?) {
    if let close, !hasWrittenClose { write(close) }
    queue.value = nil
    forgetUnfinished()
  }

  /// Puts the message into the output if one frame is enough; returns whether it did.
  private mutating func writeOneFrame(_ message: WebSocketMessage) -> Bool {
    message.withPayload { payload in
      let isShort = payload.count <= min(fragmentSize, Self.pieceSize)
      guard isShort || isOneLongFrame(payload.count) else { return false }
      if payload.count >= Self.uncopied, writeUncopied(message) { return true }
      writeMessage(message.opcode, payload)
      return true
    }
  }

  /// The length in bytes from which it is faster to write a message from its own memory.
  private static let uncopied = 8 << 10

  /// Puts an uncompressed message of a server into the output without a copy.
  private mutating func writeUncopied(_ message: WebSocketMessage) -> Bool {
    guard deflater.isNone, encoder.write(uncopied: message, to: &output) else { return false }
    counts.framesSent += 1
    return true
  }

  @inline(__always)
  private mutating func writeMessage(_ opcode: Opcode, _ message: UnsafeRawBufferPointer) {
    guard var deflater = self.deflater.value else { return write(opcode, message) }
    defer { self.deflater.value = deflater }
    let isCompressed = deflater.deflate(message) { write(opcode, $0, isCompressed: true) }
    if !isCompressed { write(opcode, message) }
  }

  mutating func write(_ opcode: Opcode, _ payload: Data) {
    payload.withUnsafeBytes { write(opcode, $0) }
  }

  mutating func write(_ payload: ClosePayload) {
    payload.bytes.withUnsafeBytes { write(.close, $0) }
    hasWrittenClose = true
  }

  mutating func write(
    _ opcode: Opcode,
    _ payload: UnsafeRawBufferPointer,
    isFinal: Bool = true,
    isCompressed: Bool = false
  ) {
    counts.framesSent += 1
    encoder.write(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, to: &output)
  }
}
