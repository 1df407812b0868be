#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One side of a WebSocket after its handshake (RFC 6455, sections 5 to 7; RFC 7692).
///
/// Bytes of the peer go in through `nextEvent(from:)` or `receive`, events come out of it, and
/// bytes for the peer gather in `output`. Nothing waits, nothing happens outside of these calls:
///
///     bytes -> nextEvent -> event        send, ping, close -> output -> bytes
///                 `-- pong, close -> output
///
/// A close frame or an error takes effect when its event is taken. Whoever handles each event
/// before the next one is taken can therefore still answer all messages that came before it.
package struct Connection: Sendable {
  /// Which side of the connection this is (5.1: what it sends is masked, or what it gets).
  package enum Role: Sendable {
    case client(MaskKeys)
    case server
  }

  /// Where the connection is in its life.
  // What comes at the end is apart from the connection, which is smaller for it before.
  package enum State: Hashable, Sendable {
    /// Messages go both ways.
    case open
    /// Our close frame is in the output. What the peer sends until it closes too is delivered.
    indirect case closing(code: CloseCode, reason: String)
    /// The peer sent its close frame, with this code, or its bytes ended (`.abnormal`).
    indirect case closed(code: CloseCode, reason: String)
    /// The peer broke the protocol. Its bytes are ignored from there on (7.1.7).
    indirect case failed(ProtocolError)
  }

  /// The message limit unless another one is given: 16 MiB.
  package static let defaultMessageLimit = 16 << 20

  /// The longest payload of a frame unless another one is given: 64 KiB.
  package static let defaultFragmentSize = 64 << 10

  /// Where the connection is in its life.
  package internal(set) var state = State.open

  /// Bytes for the peer.
  ///
  /// Write them in order and `consume` what was written. It has no bound of its own: whoever reads
  /// from the peer stops while too much is waiting here, or a peer that only pings makes it grow.
  package var output = OutputBuffer()

  /// Whether frames are delivered as such, from the next one on.
  ///
  /// Costs a copy of each payload.
  package var wantsFrames = false

  /// What has come and gone so far.
  package internal(set) var counts = Counts()

  /// How many frames and messages came, how many frames were put into the output, and how many messages
  /// were taken for it.
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
  /// What waits to be framed.
  var queue = Boxed<SendQueue>()
  private let fragmentLimit: UInt32
  var fragmentSize: Int { Int(fragmentLimit) }
  /// The event that follows the frame just delivered: only where frames are observed.
  private var following = Boxed<ConnectionEvent>()

  /// An open connection.
  ///
  /// - Parameters:
  ///   - messageLimit: The longest message that is taken, in bytes.
  ///   - fragmentSize: The longest payload of a frame of a message, in bytes: longer messages are sent in
  ///     fragments.
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

  /// Messages are compressed from here on, as the handshake came to.
  package mutating func use(_ deflate: MessageDeflate) {
    deflater.value = MessageDeflater(deflate)
    decoder.allowsCompression = true
    assembler.inflater.value = MessageInflater(deflate)
  }

  /// Gives back the memory that what was sent has taken, and what is sent next would use again.
  package mutating func releaseIdleMemory() {
    if output.isEmpty { output = OutputBuffer() }
    encoder.releaseIdleMemory()
  }

  /// Drops what waits to be written: there is no way to the peer any more.
  package mutating func discardOutput() {
    output = OutputBuffer()
    queue.value = nil
  }

  /// How many bytes wait to be written, or for their turn.
  package var queuedBytes: Int { output.count + (queue.value?.bytes ?? 0) }

  /// How many bytes wait to be framed, and can be.
  package var framableBytes: Int {
    guard let queue = queue.value, !queue.isStreaming else { return 0 }
    return queue.bytes
  }

  /// Whether a long message is being compressed, in pieces.
  package var isCompressing: Bool { queue.value?.isCompressing ?? false }

  /// How many bytes wait to be framed, and can be, behind the message that is being framed.
  package var bytesBehindFraming: Int {
    guard let queue = queue.value, !queue.isStreaming else { return 0 }
    return queue.bytesBehind
  }

  /// Whether the application has sent fragments of a message, and not the last one.
  package var isMidMessage: Bool { queue.value?.isStreaming ?? false }

  /// Whether the peer has nothing more to say: what it sends is ignored.
  package var isFinished: Bool {
    switch state {
    case .open, .closing: false
    case .closed, .failed: true
    }
  }
}

// MARK: - Receiving

extension Connection {
  /// Takes bytes of the peer and delivers all events in them, in the order of the wire.
  ///
  /// `deliver` cannot use the connection. Use `nextEvent(from:)` where an event is to be answered
  /// before the next one takes effect.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer,
    deliver: (ConnectionEvent) -> Void
  ) {
    var rest = bytes
    while true {
      if let message = nextWholeMessage(from: &rest) {
        deliver(.message(message))
      } else if let event = nextEvent(from: &rest) {
        deliver(event)
      } else if rest.isEmpty {
        return
      }
    }
  }

  /// How many pieces of frames `nextEvent` takes without an event.
  private static let mostPieces = 256

  /// Takes bytes off the front of `input` up to the next event; nil when all of them are taken.
  ///
  /// Takes 256 frames at most, and of compressed bytes what inflates to 64 KiB, so that it returns soon: after
  /// nil, call it again while `input` is not empty.
  package mutating func nextEvent(from input: inout UnsafeRawBufferPointer) -> ConnectionEvent? {
    if let event = following.take() { return event }
    var pieces = 0
    do throws(ProtocolError) {
      while !isFinished, var piece = try decoder.next(&input) {
        let bytes = piece.bytes
        if let event = try accept(&piece) { return event }
        if piece.bytes.count < bytes.count {
          decoder.giveBack(after: piece)
          let rest = bytes.count - piece.bytes.count
          // The piece was taken off the front of the input, where its rest is put back.
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
    // 5.5.1, 7.1.7: whatever comes after the peer's close frame or an error is ignored.
    _ = input.removePrefix(input.count)
    return nil
  }

  /// Takes a message off the front of `input` when that is what comes next, as most do: in one frame,
  /// all of it there, and not wanted as a frame.
  ///
  /// Nil for anything else, be it wrong: nothing is taken then, and `nextEvent` looks closer.
  package mutating func nextWholeMessage(
    from input: inout UnsafeRawBufferPointer
  ) -> WebSocketMessage? {
    guard !wantsFrames, !isFinished, following.isNone, !assembler.isMidMessage,
      let (piece, size) = decoder.wholeMessage(at: input),
      let message = assembler.message(in: piece)
    else { return nil }
    input = UnsafeRawBufferPointer(rebasing: input[size...])
    counts.framesReceived += 1
    counts.messagesReceived += 1
    return message
  }

  /// The peer's bytes have ended.
  ///
  /// Whatever was still expected will not come.
  package mutating func receiveEnd(deliver: (ConnectionEvent) -> Void) {
    guard !isFinished else { return }
    // 7.1.5: without a close frame of the peer the connection's close code is 1006.
    deliver(close(by: ClosePayload(code: .abnormal, reason: "")))
  }

  private mutating func accept(_ piece: inout FramePiece) throws(ProtocolError) -> ConnectionEvent?
  {
    let opcode = piece.header.opcode
    if piece.isFirst { keepsPayload = wantsFrames || opcode.isControl }
    // The assembler goes first: it refuses what is too long before it is kept here.
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

  /// What a control frame brings about; nil for a data frame.
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
    // 5.5.1: a close frame is answered with a close frame, typically with the same code. What waits is not
    // sent: there is no guarantee that the peer would still process it.
    if owesClose, peer.code != .abnormal { write(ClosePayload(code: peer.code, reason: "")) }
    queue.value = nil
    assembler.forget()
    state = .closed(code: peer.code, reason: peer.reason)
    return .peerClosed(code: peer.code, reason: peer.reason)
  }

  /// Closes, and drops what has come of a message: what the peer sends after this is ignored.
  package mutating func refuse(_ code: CloseCode, reason: String) {
    if owesClose { write(ClosePayload(code: code, reason: reason)) }
    queue.value = nil
    assembler.forget()
    payload = Data()
    state = .closed(code: code, reason: reason)
  }

  /// How many bytes of messages and frames have come whose end has not.
  package var unfinishedBytes: Int { assembler.unfinishedBytes + payload.count }

  /// 7.1.7: the peer is told why, and what it sends after this is ignored.
  private mutating func fail(_ error: ProtocolError) -> ConnectionEvent {
    if owesClose { write(ClosePayload(code: error.closeCode, reason: error.description)) }
    queue.value = nil
    // What has come of a message is nobody's any more.
    assembler.forget()
    payload = Data()
    state = .failed(error)
    return .failed(error)
  }
}
