#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes messages of data frames (RFC 6455, section 5.4), inflated if they are compressed.
///
/// The fragments of a message lie in one stretch of memory: a fragment costs its bytes, an empty
/// one nothing, and what is kept never exceeds the limit.
struct MessageAssembler {
  private struct Partial {
    var isText: Bool
    var isCompressed: Bool
    /// How many bytes of payload came, compressed or not.
    var received = 0
    var bytes: Data
    /// For how many bytes there is room, as far as it was asked for.
    private var reserved: Int
    var utf8 = UTF8Validator()

    /// A message that begins with this frame.
    ///
    /// The room for the frame is taken at once, but a header alone does not claim more than 1 MiB of memory:
    /// from there on it grows with what really comes.
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
        // A message keeps its room when it is delivered: not more than twice its length.
        reserved = min(max(2 * reserved, end), PayloadMemory.threshold)
        bytes.reserveCapacity(reserved)
      } else if reserved <= PayloadMemory.threshold {
        PayloadMemory.move(&bytes, toRoomFor: end)
        // More than that the system moves without a copy, when it grows by itself.
        reserved = .max
      }
    }

    mutating func append(_ piece: FramePiece) throws(ProtocolError) {
      let start = bytes.count
      makeRoom(for: piece.bytes.count)
      piece.append(to: &bytes)
      try check(from: start)
    }

    /// What was inflated may exceed the limit, whatever the header said.
    mutating func append(
      inflated: UnsafeRawBufferPointer,
      limit: Int
    ) throws(ProtocolError) {
      let start = bytes.count
      let rest = limit - start
      // What fits is looked at first: which error it is must not depend on where reads are split.
      let taken = UnsafeRawBufferPointer(rebasing: inflated.prefix(rest))
      makeRoom(for: taken.count)
      bytes.append(contentsOf: taken)
      try check(from: start)
      guard inflated.count <= rest else {
        throw .messageTooLong(length: limit + 1, limit: limit)
      }
    }

    /// 8.1: checked as it comes, so that a wrong byte does not have to wait for the message's end.
    private mutating func check(from start: Int) throws(ProtocolError) {
      guard isText else { return }
      let isValid = bytes.withUnsafeBytes {
        utf8.accept(UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
      guard isValid else { throw .textNotUTF8 }
    }
  }

  /// Inflates compressed messages, when they were agreed upon.
  var inflater = Boxed<MessageInflater>()

  private let limit: Int
  private var partial = Boxed<Partial>()

  /// - Parameter limit: The longest message that is taken, in bytes.
  init(limit: Int) { self.limit = limit }

  /// No more of the message that has begun will come.
  mutating func forget() { partial.value = nil }

  /// How many bytes are kept of a message whose last fragment did not come.
  var unfinishedBytes: Int { partial.isNone ? 0 : partial.value?.bytes.count ?? 0 }

  /// Whether fragments of a message came and its last one did not.
  var isMidMessage: Bool { !partial.isNone }

  /// The message that a piece is by itself, being all of an uncompressed frame; nil when it is too long
  /// or no UTF-8.
  func message(in piece: FramePiece) -> WebSocketMessage? {
    piece.bytes.count <= limit ? try? wholeMessage(piece) : nil
  }

  /// Takes the next piece of a data frame and returns the message that it completes.
  ///
  /// A compressed piece is shortened to what was inflated of it: after 64 KiB came out, the rest is to be
  /// given again.
  mutating func accept(_ piece: inout FramePiece) throws(ProtocolError) -> WebSocketMessage? {
    let header = piece.header
    if piece.isFirst {
      try begin(header)
      if piece.isLast, header.isFinal, header.opcode != .continuation, !header.isCompressed {
        return try wholeMessage(piece)
      }
    }
    try append(&piece)
    guard piece.isLast, header.isFinal else { return nil }
    return try finish()
  }

  /// Checks a frame by its header, before any of its payload is kept.
  private mutating func begin(_ header: FrameHeader) throws(ProtocolError) {
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

  /// The longest that the compressed form of a message of the limit's length may be.
  ///
  /// What cannot be compressed grows a little: zlib's own bound is an eighth and a bit. Whoever sends
  /// more than that sends empty blocks, which inflate to nothing and would never come to an end.
  private var compressedLimit: Int {
    let (sum, overflow) = limit.addingReportingOverflow(limit / 4 + 1024)
    return overflow ? .max : sum
  }

  /// The usual case: the message is one frame, and all of it is here.
  ///
  /// Nothing is kept.
  private func wholeMessage(_ piece: FramePiece) throws(ProtocolError) -> WebSocketMessage {
    guard piece.header.opcode == .text else {
      var data = Data()
      piece.append(to: &data)
      return .binary(data)
    }
    // 8.1: text that is not UTF-8 fails the connection.
    guard let text = piece.withUnmaskedBytes({ String(checkingUTF8: $0) }) else {
      throw .textNotUTF8
    }
    return .text(text)
  }

  private mutating func append(_ piece: inout FramePiece) throws(ProtocolError) {
    if partial.isNone { partial.value = Partial(piece.header) }
    let limit = limit
    // Out of here while `partial` is changed.
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

  /// How much is inflated of a piece at a time, in bytes: a tenth of a millisecond's work.
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
