#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the messages of one peer and writes those of this side (RFC 6455, section 5; RFC 7692).
///
/// Bytes of the peer enter through `next(from:)`, which returns one event at a time. Bytes for the
/// peer gather in `output`. The codec has no state of the connection: `Session` answers pings and
/// close frames, and decides what may still be sent and read.
struct MessageCodec: ~Copyable, Sendable {
  /// The side that the codec works for (5.1: a client masks its frames, a server does not).
  enum Role: Sendable {
    case client(MaskKeys)
    case server
  }

  /// An event in the bytes of the peer, in the order of the wire.
  enum Event: Hashable, Sendable {
    /// A frame arrived. Only while `wantsFrames` is set; the frame's own event follows.
    // Indirect, which keeps the value small: most events are messages.
    indirect case frame(Frame)
    /// A message is complete.
    case message(WebSocketMessage)
    case ping(Data)
    case pong(Data)
    indirect case close(ClosePayload)
  }

  /// Bytes for the peer.
  ///
  /// The output has no limit of its own: stop reading while it is long, because a peer that only
  /// pings makes it grow.
  var output = OutputBuffer()

  /// Whether each frame is returned as an event, from the next frame on.
  ///
  /// This costs a copy of each payload.
  var wantsFrames = false
  /// Whether a close frame is in the output or was written; nothing may follow it (5.5.1).
  var hasWrittenClose = false

  /// How many frames and messages were received and sent so far.
  var counts = Counts()

  /// The numbers of frames and messages received, of frames added to the output, and of messages
  /// accepted for sending.
  struct Counts: Equatable, Sendable {
    var framesReceived = 0
    var framesSent = 0
    var messagesReceived = 0
    var messagesSent = 0
  }

  private var decoder: FrameDecoder
  var assembler: MessageAssembler
  var encoder: FrameEncoder
  var deflater = Boxed<MessageDeflater>()
  private var keepsPayload = false
  /// None unless a control frame has arrived in part, or frames are wanted.
  private var kept = Boxed<KeptFrame>()
  /// Messages that are not framed yet; empty when no long message was sent.
  var queue = Boxed<UnframedMessages>()
  private let fragmentLimit: UInt32
  var fragmentSize: Int { Int(fragmentLimit) }

  /// A control frame, or one that is wanted as a frame.
  private struct KeptFrame {
    /// The payload that has arrived so far.
    var payload = Data()
    /// The event that follows the frame just returned.
    var following: Event?
  }

  /// - Parameters:
  ///   - messageLimit: longest message that is accepted, in bytes
  ///   - fragmentSize: longest payload of a data frame, in bytes: longer messages are sent in
  ///     fragments
  init(_ role: Role, messageLimit: Int, fragmentSize: Int) {
    fragmentLimit = UInt32(clamping: max(fragmentSize, 1))
    assembler = MessageAssembler(limit: messageLimit)
    switch role {
    case .client(let maskKeys):
      decoder = FrameDecoder(expectsMask: false)
      encoder = FrameEncoder(maskKeys: maskKeys)
    case .server:
      decoder = FrameDecoder(expectsMask: true)
      encoder = FrameEncoder(maskKeys: nil)
    }
  }

  /// Compresses messages from here on, with the parameters that the handshake agreed upon.
  mutating func use(_ deflate: MessageDeflate) {
    deflater.value = MessageDeflater(deflate)
    decoder.allowsCompression = true
    assembler.inflater.value = MessageInflater(deflate)
  }

  /// Frees the idle buffers of the output and the encoder, which the next write would reuse.
  mutating func releaseIdleMemory() {
    if output.isEmpty { output = OutputBuffer() }
    encoder.releaseIdleMemory()
  }

  /// Drops the unsent bytes and messages: the way to the peer is closed.
  mutating func discardOutput() {
    output = OutputBuffer()
    queue.value = nil
  }

  // These are inlined because the compiler would move the whole codec to call them.

  /// How many bytes are not written yet, framed or not.
  @inline(__always)
  var queuedBytes: Int { queue.isNone ? output.count : output.count + unframedBytes }

  private var unframedBytes: Int { queue.value?.byteCount ?? 0 }

  /// The queue that can be framed now; nil while the application sends fragments.
  @inline(__always)
  private var framableQueue: UnframedMessages? {
    queue.isNone ? nil : queue.value.flatMap { $0.isSendingFragments ? nil : $0 }
  }

  /// How many bytes of the queue can be framed now.
  @inline(__always)
  var framableBytes: Int { framableQueue?.byteCount ?? 0 }

  /// Whether messages or a close frame are queued that can be framed now.
  @inline(__always)
  var canFrame: Bool { framableQueue != nil }

  /// How many bytes can be framed now, behind the message that is being framed.
  @inline(__always)
  var bytesBehindFraming: Int { framableQueue?.bytesBehind ?? 0 }

  /// Whether the application has sent fragments of a message but not the last one.
  var isSendingFragments: Bool { queue.value?.isSendingFragments ?? false }
}

// MARK: - Receiving

extension MessageCodec {
  /// How many pieces of frames `next` accepts before it returns nil.
  private static let mostPieces = 256

  /// Takes bytes off the front of `input` up to the next event; nil when none is complete.
  ///
  /// One call accepts at most 256 pieces of frames, and compressed bytes that inflate to 64 KiB, so
  /// that it returns soon. After nil, call it again while `input` is not empty.
  ///
  /// After a close frame or an error, no further bytes may be passed (5.5.1, 7.1.7).
  mutating func next(from input: inout UnsafeRawBufferPointer) throws(ProtocolError) -> Event? {
    if let event = kept.value?.following {
      kept.value = nil
      return event
    }
    var pieces = 0
    while var piece = try decoder.next(&input) {
      let bytes = piece.bytes
      if let event = try accept(&piece) { return event }
      if piece.bytes.count < bytes.count {
        decoder.giveBack(after: piece)
        let rest = bytes.count - piece.bytes.count
        // The piece came off the front of the input; its unused rest goes back there.
        let start = input.baseAddress ?? bytes.baseAddress.map { $0 + bytes.count }
        input = UnsafeRawBufferPointer(start: start.map { $0 - rest }, count: input.count + rest)
        return nil
      }
      pieces += 1
      if pieces == Self.mostPieces, !input.isEmpty { return nil }
    }
    return nil
  }

  /// Takes a whole message off the front of `input`: a fast path for a message in one frame that
  /// has arrived completely and is not wanted as a frame.
  ///
  /// Returns nil and takes nothing in any other case, including malformed input. `next` handles
  /// these, and would return the same message; a test compares the two.
  @inline(__always)
  mutating func wholeMessage(from input: inout UnsafeRawBufferPointer) -> WebSocketMessage? {
    guard !wantsFrames, kept.isNone, !assembler.hasUnfinishedMessage,
      let (piece, size) = decoder.wholeMessage(at: input),
      let message = assembler.message(in: piece)
    else { return nil }
    input = UnsafeRawBufferPointer(rebasing: input[size...])
    counts.framesReceived += 1
    counts.messagesReceived += 1
    return message
  }

  private mutating func accept(_ piece: inout FramePiece) throws(ProtocolError) -> Event? {
    let opcode = piece.header.opcode
    if piece.isFirst { keepsPayload = wantsFrames || opcode.isControl }
    // The assembler goes first: it rejects a payload that is too long before it is stored here.
    let message = opcode.isControl ? nil : try assembler.accept(&piece)
    if piece.isLast { counts.framesReceived += 1 }
    if message != nil { counts.messagesReceived += 1 }
    guard keepsPayload else { return message.map { .message($0) } }

    var payload = kept.take()?.payload ?? Data()
    if piece.isFirst, piece.header.payloadLength > PayloadMemory.threshold {
      payload = Data(capacity: PayloadMemory.capacity(announced: piece.header.payloadLength))
    }
    piece.append(to: &payload)
    guard piece.isLast else {
      kept.value = KeptFrame(payload: payload)
      return nil
    }
    let frame = Frame(
      isFinal: piece.header.isFinal,
      isCompressed: piece.header.isCompressed,
      opcode: opcode,
      payload: payload
    )
    let event: Event? =
      switch opcode {
      case .ping: .ping(frame.payload)
      case .pong: .pong(frame.payload)
      case .close: .close(try ClosePayload(parsing: [UInt8](frame.payload)))
      case .text, .binary, .continuation: message.map { .message($0) }
      }
    guard wantsFrames else { return event }
    if let event { kept.value = KeptFrame(following: event) }
    return .frame(frame)
  }

  /// How many bytes of unfinished messages and frames are stored.
  @inline(__always)
  var unfinishedBytes: Int { assembler.unfinishedBytes + (kept.value?.payload.count ?? 0) }

  /// Drops the frame and the message that have arrived in part.
  mutating func forgetUnfinished() {
    assembler.forget()
    kept.value = nil
  }
}
