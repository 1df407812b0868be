#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Assembles data frames into messages (RFC 6455, section 5.4), and inflates compressed ones.
///
/// The fragments of a message lie in one block of memory: a fragment costs its bytes, an empty one
/// nothing, and the bytes in it never exceed the limit.
struct MessageAssembler {
  private struct Partial {
    var isText: Bool
    var isCompressed: Bool
    /// How many bytes of payload arrived, compressed or not.
    var received = 0
    var bytes: Data
    /// The length up to which the block has room; `.max` once the system grows the block.
    private var reserved: Int
    var utf8 = UTF8Validator()

    /// Begins a message with this frame.
    ///
    /// The room for the frame is reserved at once, but a header alone takes at most 1 MiB of memory;
    /// see `PayloadMemory`. Beyond that the block grows with the bytes that arrive.
    init(_ header: FrameHeader) {
      isText = header.opcode == .text
      isCompressed = header.isCompressed
      reserved = PayloadMemory.capacity(announced: header.payloadLength)
      bytes = Data(capacity: reserved)
    }

    private mutating func makeRoom(for count: Int) {
      let end = bytes.count + count
      if end <= reserved { return }
      if end <= PayloadMemory.threshold {
        // A delivered message keeps its block, so the block is at most doubled.
        reserved = min(max(2 * reserved, end), PayloadMemory.threshold)
        bytes.reserveCapacity(reserved)
      } else if reserved <= PayloadMemory.threshold {
        PayloadMemory.move(&bytes, toRoomFor: end)
        // Beyond this size the system moves a growing block without a copy.
        reserved = .max
      }
    }

    mutating func append(_ piece: FramePiece) throws(ProtocolError) {
      let start = bytes.count
      makeRoom(for: piece.bytes.count)
      let isASCII = piece.append(to: &bytes)
      if !isASCII || !utf8.isComplete { try check(from: start) }
    }

    /// Appends inflated bytes, which may exceed the limit whatever the header announced.
    mutating func append(
      inflated: UnsafeRawBufferPointer,
      limit: Int
    ) throws(ProtocolError) {
      let start = bytes.count
      let rest = limit - start
      // What fits is checked first: whether the text or the length is reported must not depend on how
      // reads split.
      let taken = UnsafeRawBufferPointer(rebasing: inflated.prefix(rest))
      makeRoom(for: taken.count)
      bytes.append(contentsOf: taken)
      try check(from: start)
      guard inflated.count <= rest else {
        // The real length is not known.
        throw .messageTooLong(length: limit + 1, limit: limit)
      }
    }

    /// Checks text as it arrives (8.1): an invalid byte fails before the message is complete.
    private mutating func check(from start: Int) throws(ProtocolError) {
      guard isText else { return }
      let isValid = bytes.withUnsafeBytes {
        utf8.accept(UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
      guard isValid else { throw .textNotUTF8 }
    }
  }

  /// Inflates compressed messages; empty unless the handshake agreed upon compression.
  var inflater = Boxed<MessageInflater>()

  private let limit: Int
  private var partial = Boxed<Partial>()

  /// - Parameter limit: longest message that is accepted, in bytes
  init(limit: Int) { self.limit = limit }

  /// Drops the unfinished message.
  mutating func forget() { partial.value = nil }

  /// How many bytes of an unfinished message are stored.
  @inline(__always)
  var unfinishedBytes: Int { partial.value?.bytes.count ?? 0 }

  /// Whether a message has arrived in part.
  var hasUnfinishedMessage: Bool { !partial.isNone }

  /// The message of a piece that is a whole, uncompressed frame, while no message is unfinished.
  ///
  /// Nil if it is too long or not UTF-8: `accept` then throws the error.
  func message(in piece: FramePiece) -> WebSocketMessage? {
    piece.bytes.count <= limit ? try? decode(piece) : nil
  }

  /// Accepts the next piece of a data frame and returns the message that it completes.
  ///
  /// One call inflates about 64 KiB. It then shortens `piece` to the bytes that it has used; pass the
  /// others in the next call.
  mutating func accept(_ piece: inout FramePiece) throws(ProtocolError) -> WebSocketMessage? {
    let header = piece.header
    if piece.isFirst {
      try check(header)
      if piece.isLast, header.isFinal, header.opcode != .continuation, !header.isCompressed {
        return try decode(piece)
      }
    }
    try append(&piece)
    guard piece.isLast, header.isFinal else { return nil }
    return try finish()
  }

  /// Checks a frame by its header, before any of its payload is stored.
  private func check(_ header: FrameHeader) throws(ProtocolError) {
    // 5.4: a message is a text or binary frame and continuations; messages do not interleave.
    if header.opcode == .continuation {
      guard !partial.isNone else { throw .continuationWithoutStart }
    } else {
      guard partial.isNone else { throw .messageInsideMessage }
    }
    let begun = partial.value
    let received = begun?.received ?? 0
    let isCompressed = begun?.isCompressed ?? header.isCompressed
    guard header.payloadLength <= (isCompressed ? compressedLimit : limit) - received else {
      let (length, overflow) = received.addingReportingOverflow(header.payloadLength)
      throw .messageTooLong(length: overflow ? .max : length, limit: limit)
    }
  }

  /// The longest compressed form of a message that is within the limit, in bytes.
  ///
  /// Incompressible bytes grow a little: zlib's own bound is an eighth and a bit, and twice that
  /// is allowed. A longer form has empty blocks, which inflate to nothing: without this bound such a
  /// message need not end.
  private var compressedLimit: Int {
    let (sum, overflow) = limit.addingReportingOverflow(limit / 4 + 1024)
    return overflow ? .max : sum
  }

  /// The usual case: the message is one frame that has arrived completely, so nothing is stored.
  private func decode(_ piece: FramePiece) throws(ProtocolError) -> WebSocketMessage {
    guard piece.header.opcode == .text else { return .binary(piece.data) }
    // 8.1: text that is not UTF-8 fails the connection.
    guard let text = piece.text else { throw .textNotUTF8 }
    return .text(text)
  }

  private mutating func append(_ piece: inout FramePiece) throws(ProtocolError) {
    if partial.isNone { partial.value = Partial(piece.header) }
    let limit = limit
    // Moved out of `self` while `partial` is changed: the two accesses must not overlap.
    var inflater = Boxed<MessageInflater>()
    swap(&inflater, &self.inflater)
    defer { swap(&inflater, &self.inflater) }
    try partial.update { (partial) throws(ProtocolError) in
      guard partial.isCompressed else {
        partial.received += piece.bytes.count
        return try partial.append(piece)
      }
      let used = try piece.withUnmaskedBytes { (bytes) throws(ProtocolError) in
        try inflater.value?.inflate(bytes, upTo: Self.inflatedStep) {
          (inflated) throws(ProtocolError) in
          try partial.append(inflated: inflated, limit: limit)
        }
      }
      partial.received += used ?? 0
      piece.bytes = UnsafeRawBufferPointer(rebasing: piece.bytes.prefix(used ?? 0))
    }
  }

  /// How many bytes one step inflates: 64 KiB take a tenth of a millisecond.
  private static let inflatedStep = 64 << 10

  private mutating func finish() throws(ProtocolError) -> WebSocketMessage? {
    guard var message = partial.take() else { return nil }
    if message.isCompressed {
      try inflater.value?.finish { (inflated) throws(ProtocolError) in
        try message.append(inflated: inflated, limit: limit)
      }
    }
    guard message.isText else { return .binary(message.bytes) }
    guard message.utf8.isComplete else { throw .textNotUTF8 }
    return .text(
      message.bytes.withUnsafeBytes { String(checkedUTF8: $0, isASCII: message.utf8.isASCII) }
    )
  }
}
