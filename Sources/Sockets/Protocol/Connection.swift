#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One side of a WebSocket after its handshake (RFC 6455, sections 5 to 7; RFC 7692).
///
/// Bytes of the peer enter through `next(from:)` or `receive`, which return events. Bytes for the
/// peer gather in `output`. Nothing waits, and nothing happens outside these calls:
///
///     bytes -> next -> event        send, ping, close -> output -> bytes
///                `-- pong, close -> output
///
/// A close frame or an error takes effect when its event is returned. A caller that handles each
/// event before it takes the next can therefore still answer all messages before the close.
package struct Connection: Sendable {
  /// Which side of the connection this is (5.1: a client masks its frames, a server does not).
  package enum Role: Sendable {
    case client(MaskKeys)
    case server
  }

  /// The state of a connection.
  // `indirect` keeps the connection small while it is open.
  package enum State: Hashable, Sendable {
    /// Both sides may send messages.
    case open
    /// Our close frame is in the output. Messages are delivered until the peer closes too.
    indirect case closing(code: CloseCode, reason: String)
    /// The peer sent its close frame, with this code, or its bytes ended (`.abnormal`).
    indirect case closed(code: CloseCode, reason: String)
    /// The peer broke the protocol. All bytes after the error are ignored (7.1.7).
    indirect case failed(ProtocolError)
  }

  /// The default message limit: 16 MiB.
  package static let defaultMessageLimit = 16 << 20

  /// The default of the longest payload of a frame: 64 KiB.
  package static let defaultFragmentSize = 64 << 10

  /// The current state.
  package internal(set) var state = State.open

  /// Bytes for the peer.
  ///
  /// Write them in order and `consume` what was written. The output has no limit of its own: stop
  /// reading while it is long, because a peer that only pings makes it grow.
  package var output = OutputBuffer()

  /// Whether each frame is returned as an event, from the next frame on.
  ///
  /// This costs a copy of each payload.
  package var wantsFrames = false

  /// How many frames and messages were received and sent so far.
  package internal(set) var counts = Counts()

  /// The numbers of frames and messages received, of frames added to the output, and of messages
  /// accepted for sending.
  package struct Counts: Hashable, Sendable {
    package var framesReceived = 0
    package var framesSent = 0
    package var messagesReceived = 0
    package var messagesSent = 0
  }

  private let isServer: Bool
  private var decoder: FrameDecoder
  private var assembler: MessageAssembler
  var encoder: FrameEncoder
  var deflater = Boxed<MessageDeflater>()
  /// The payload of the frame in progress, if it is a control frame or wanted as a frame.
  private var payload = Data()
  private var keepsPayload = false
  /// Messages that are not framed yet; empty when no long message was sent.
  var queue = Boxed<SendQueue>()
  private let fragmentLimit: UInt32
  var fragmentSize: Int { Int(fragmentLimit) }
  /// The event that follows the frame just returned: used only while frames are wanted.
  private var following = Boxed<ConnectionEvent>()

  /// Makes an open connection.
  ///
  /// - Parameters:
  ///   - messageLimit: longest message that is accepted, in bytes
  ///   - fragmentSize: longest payload of a data frame, in bytes: longer messages are sent in
  ///     fragments
  package init(
    _ role: Role,
    messageLimit: Int = defaultMessageLimit,
    fragmentSize: Int = defaultFragmentSize
  ) {
    fragmentLimit = UInt32(clamping: max(fragmentSize, 1))
    assembler = MessageAssembler(limit: messageLimit)
    switch role {
    case .client(let maskKeys):
      isServer = false
      encoder = FrameEncoder(maskKeys: maskKeys)
    case .server:
      isServer = true
      encoder = FrameEncoder(maskKeys: nil)
    }
    decoder = FrameDecoder(expectsMask: isServer)
  }

  /// Compresses messages from here on, with the parameters that the handshake agreed upon.
  package mutating func use(_ deflate: MessageDeflate) {
    deflater.value = MessageDeflater(deflate)
    decoder.allowsCompression = true
    assembler.inflater.value = MessageInflater(deflate)
  }

  /// Frees the idle buffers of the output and the encoder, which the next write would reuse.
  package mutating func releaseIdleMemory() {
    if output.isEmpty { output = OutputBuffer() }
    encoder.releaseIdleMemory()
  }

  /// Drops the unsent bytes and messages: the way to the peer is closed.
  package mutating func discardOutput() {
    output = OutputBuffer()
    queue.value = nil
  }

  /// How many bytes are not written yet, framed or not.
  package var queuedBytes: Int { output.count + (queue.value?.bytes ?? 0) }

  /// How many bytes of the queue can be framed now; zero while the application streams a message.
  package var framableBytes: Int {
    guard let queue = queue.value, !queue.isStreaming else { return 0 }
    return queue.bytes
  }

  /// Whether messages or a close frame are queued that can be framed now.
  package var canFrame: Bool { queue.value.map { !$0.isStreaming } ?? false }

  /// Whether a long message is being compressed, in pieces.
  package var isCompressingInPieces: Bool { queue.value?.isCompressingInPieces ?? false }

  /// How many bytes can be framed now, behind the message that is being framed.
  package var bytesBehindFraming: Int {
    guard let queue = queue.value, !queue.isStreaming else { return 0 }
    return queue.bytesBehind
  }

  /// Whether the application has sent fragments of a message but not the last one.
  package var isMidMessage: Bool { queue.value?.isStreaming ?? false }

  /// Whether the connection has closed or failed: what the peer sends is ignored.
  package var isFinished: Bool {
    switch state {
    case .open, .closing: false
    case .closed, .failed: true
    }
  }
}

// MARK: - Receiving

extension Connection {
  /// Accepts bytes of the peer and delivers all their events, in the order of the wire.
  ///
  /// `deliver` cannot use the connection. Use `next(from:)` where an answer must precede the effect
  /// of the next event.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer,
    deliver: (ConnectionEvent) -> Void
  ) {
    var rest = bytes
    repeat {
      while let event = next(from: &rest) { deliver(event) }
    } while !rest.isEmpty
  }

  /// How many pieces of frames `next` accepts before it returns nil.
  private static let mostPieces = 256

  /// Takes bytes off the front of `input` up to the next event; nil when none is complete.
  ///
  /// One call accepts at most 256 pieces of frames, and compressed bytes that inflate to 64 KiB, so
  /// that it returns soon. After nil, call it again while `input` is not empty.
  package mutating func next(from input: inout UnsafeRawBufferPointer) -> ConnectionEvent? {
    if let event = following.take() { return event }
    var pieces = 0
    do throws(ProtocolError) {
      while !isFinished, var piece = try decoder.next(&input) {
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
    } catch {
      return fail(error)
    }
    // 5.5.1, 7.1.7: all bytes after the peer's close frame or an error are ignored.
    _ = input.removePrefix(input.count)
    return nil
  }

  /// Takes a whole message off the front of `input`: a fast path for a message in one frame that
  /// has arrived completely and is not wanted as a frame.
  ///
  /// Returns nil and takes nothing in any other case, including malformed input. `next` handles
  /// these, and would return the same message; a test compares the two.
  @inline(__always)
  mutating func wholeMessage(from input: inout UnsafeRawBufferPointer) -> WebSocketMessage? {
    guard !wantsFrames, !isFinished, following.isNone, !assembler.isMidMessage,
      let (piece, size) = decoder.wholeMessage(at: input),
      let message = assembler.message(in: piece)
    else { return nil }
    input = UnsafeRawBufferPointer(rebasing: input[size...])
    counts.framesReceived += 1
    counts.messagesReceived += 1
    return message
  }

  /// Ends the connection because the peer's bytes have ended.
  ///
  /// Without a close frame of the peer, the event is a close with code 1006.
  package mutating func receiveEnd(deliver: (ConnectionEvent) -> Void) {
    guard !isFinished else { return }
    // 7.1.5: without a close frame of the peer the connection's close code is 1006.
    deliver(close(by: ClosePayload(code: .abnormal, reason: "")))
  }

  private mutating func accept(_ piece: inout FramePiece) throws(ProtocolError) -> ConnectionEvent?
  {
    let opcode = piece.header.opcode
    if piece.isFirst { keepsPayload = wantsFrames || opcode.isControl }
    // The assembler goes first: it rejects a payload that is too long before it is stored here.
    let message = opcode.isControl ? nil : try assembler.accept(&piece)
    if piece.isLast { counts.framesReceived += 1 }
    if message != nil { counts.messagesReceived += 1 }
    guard keepsPayload else { return message.map { .message($0) } }

    if piece.isFirst, piece.header.payloadLength > PayloadMemory.threshold {
      payload = Data(capacity: PayloadMemory.capacity(announced: piece.header.payloadLength))
    }
    piece.append(to: &payload)
    guard piece.isLast else { return nil }
    let frame = Frame(
      isFinal: piece.header.isFinal,
      isCompressed: piece.header.isCompressed,
      opcode: opcode,
      payload: payload
    )
    payload = Data()
    let event: ConnectionEvent? = if let message { .message(message) } else { try control(frame) }
    guard wantsFrames else { return event }
    following.value = event
    return .frame(frame)
  }

  /// Handles a control frame and returns its event; nil for a data frame.
  private mutating func control(_ frame: Frame) throws(ProtocolError) -> ConnectionEvent? {
    switch frame.opcode {
    case .ping:
      // 5.5.2: a ping is answered with a pong of the same payload, unless a close frame was sent.
      if state == .open { write(.pong, frame.payload) }
      return .ping(frame.payload)
    case .pong:
      return .pong(frame.payload)
    case .close:
      return close(by: try ClosePayload(parsing: [UInt8](frame.payload)))
    case .text, .binary, .continuation:
      return nil
    }
  }

  private mutating func close(by peer: ClosePayload) -> ConnectionEvent {
    // 5.5.1: a close frame is answered with a close frame, typically with the same code. Queued
    // messages are dropped: there is no guarantee that the peer would still process them.
    if owesClose, peer.code != .abnormal { write(ClosePayload(code: peer.code, reason: "")) }
    queue.value = nil
    assembler.forget()
    state = .closed(code: peer.code, reason: peer.reason)
    return .peerClosed(code: peer.code, reason: peer.reason)
  }

  /// Closes and drops the unfinished message: what the peer sends after this is ignored.
  package mutating func refuse(_ code: CloseCode, reason: String) {
    if owesClose { write(ClosePayload(code: code, reason: reason)) }
    queue.value = nil
    assembler.forget()
    payload = Data()
    state = .closed(code: code, reason: reason)
  }

  /// How many bytes of unfinished messages and frames are stored.
  package var unfinishedBytes: Int { assembler.unfinishedBytes + payload.count }

  /// Fails the connection (7.1.7): a close frame reports the reason, and later bytes are ignored.
  private mutating func fail(_ error: ProtocolError) -> ConnectionEvent {
    if owesClose { write(ClosePayload(code: error.closeCode, reason: error.description)) }
    queue.value = nil
    // The unfinished message can no longer be delivered.
    assembler.forget()
    payload = Data()
    state = .failed(error)
    return .failed(error)
  }
}
