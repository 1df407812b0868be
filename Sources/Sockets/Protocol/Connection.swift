import Foundation

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

  /// Where the connection is in its life.
  package private(set) var state = State.open

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
  package private(set) var counts = Counts()

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
  private var encoder: FrameEncoder
  private var deflater = Rare<MessageDeflater>()
  /// The payload of the frame in progress, if it is a control frame or wanted as a frame.
  private var payload = Data()
  private var keepsPayload = false
  /// The messages that wait for the last fragment of another one; nil when none is under way.
  private var held: [WebSocketMessage]?
  /// How many bytes they have together.
  private var heldBytes = 0
  /// The event that follows the frame just delivered.
  private var following: ConnectionEvent?

  /// An open connection.
  ///
  /// - Parameter messageLimit: The longest message that is taken, in bytes.
  package init(_ role: Role, messageLimit: Int = defaultMessageLimit) {
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
  package mutating func rest() {
    if output.isEmpty { output = OutputBuffer() }
    encoder.rest()
  }

  /// Drops what waits to be written: there is no way to the peer any more.
  package mutating func discardOutput() {
    output = OutputBuffer()
    dropHeld()
  }

  /// How many bytes wait to be written, or for their turn.
  package var queuedBytes: Int { output.count + heldBytes }

  /// Whether fragments of a message were sent and its last one was not.
  package var isMidMessage: Bool { held != nil }

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

  /// Takes bytes off the front of `input` up to the next event; nil when all of them are taken.
  ///
  /// Of compressed bytes it takes what inflates to 64 KiB, and also returns nil when that is not all: call it
  /// again while `input` is not empty.
  package mutating func nextEvent(from input: inout UnsafeRawBufferPointer) -> ConnectionEvent? {
    if let event = following.take() { return event }
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
    guard !wantsFrames, !isFinished, following == nil, !assembler.isMidMessage,
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
    following = event
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
    // 5.5.1: a close frame is answered with a close frame, typically with the same code.
    if state == .open, peer.code != .abnormal { write(ClosePayload(code: peer.code, reason: "")) }
    dropHeld()
    assembler.forget()
    state = .closed(code: peer.code, reason: peer.reason)
    return .peerClosed(code: peer.code, reason: peer.reason)
  }

  /// Closes, and drops what has come of a message: what the peer sends after this is ignored.
  package mutating func refuse(_ code: CloseCode, reason: String) {
    if state == .open { write(ClosePayload(code: code, reason: reason)) }
    dropHeld()
    assembler.forget()
    payload = Data()
    state = .closed(code: code, reason: reason)
  }

  /// How many bytes of messages and frames have come whose end has not.
  package var unfinishedBytes: Int { assembler.unfinishedBytes + payload.count }

  /// 7.1.7: the peer is told why, and what it sends after this is ignored.
  private mutating func fail(_ error: ProtocolError) -> ConnectionEvent {
    if state == .open { write(ClosePayload(code: error.closeCode, reason: error.description)) }
    dropHeld()
    // What has come of a message is nobody's any more.
    assembler.forget()
    payload = Data()
    state = .failed(error)
    return .failed(error)
  }
}

// MARK: - Sending

extension Connection {
  /// Puts a message into the output, as one frame, compressed if that was agreed upon; behind the last
  /// fragment of another message, if that is still to come.
  @inline(__always)
  package mutating func send(_ message: WebSocketMessage) throws(SendError) {
    try requireOpen()
    counts.messagesSent += 1
    guard held == nil else {
      held?.append(message)
      heldBytes += message.byteCount
      return
    }
    write(message)
  }

  /// Puts a fragment of a message into the output, as it is; the first one begins the message.
  ///
  /// 5.4: other messages wait until its last one, control frames do not.
  ///
  /// - Parameter opcode: What the message is; the same for all of its fragments.
  package mutating func sendFragment(
    _ opcode: Opcode,
    _ data: Data,
    isFinal: Bool
  ) throws(SendError) {
    try requireOpen()
    let opcode = held == nil ? opcode : .continuation
    data.withUnsafeBytes { write(opcode, $0, isFinal: isFinal) }
    guard isFinal else {
      held = held ?? []
      return
    }
    counts.messagesSent += 1
    let waiting = held.take() ?? []
    heldBytes = 0
    for message in waiting { write(message) }
  }

  /// Asks the peer for a pong with the same payload.
  package mutating func ping(_ payload: Data = Data()) throws(SendError) {
    try sendControl(.ping, payload)
  }

  /// Sends a pong that nobody asked for: a sign of life (5.5.3).
  ///
  /// Pings are answered without it.
  package mutating func pong(_ payload: Data = Data()) throws(SendError) {
    try sendControl(.pong, payload)
  }

  /// Begins the end: nothing can be sent after it, and the peer is expected to close too.
  ///
  /// What still waits for the last fragment of another message is dropped.
  ///
  /// - Parameters:
  ///   - code: Why. With `.noStatus` the close frame is empty.
  ///   - reason: For people who read logs; cut to 123 bytes at the border of a code point.
  package mutating func close(
    _ code: CloseCode = .normal,
    reason: String = ""
  ) throws(SendError) {
    guard code.isSendable || code == .noStatus else { throw .closeCodeNotSendable(code) }
    try requireOpen()
    write(ClosePayload(code: code, reason: reason))
    dropHeld()
    state = .closing(code: code, reason: reason)
  }

  private mutating func sendControl(_ opcode: Opcode, _ payload: Data) throws(SendError) {
    // 5.5: a control frame carries at most 125 bytes.
    guard payload.count <= FrameHeader.maximumControlLength else {
      throw .controlPayloadTooLong(length: payload.count)
    }
    try requireOpen()
    write(opcode, payload)
  }

  /// 5.5.1: nothing follows our close frame.
  private func requireOpen() throws(SendError) {
    guard state == .open else { throw .notOpen }
  }

  /// 5.5.1: what waits for the last fragment of another message does not follow a close frame.
  private mutating func dropHeld() { (held, heldBytes) = (nil, 0) }

  private mutating func write(_ message: WebSocketMessage) {
    switch message {
    case .text(let text):
      let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
        writeMessage(.text, UnsafeRawBufferPointer($0))
      }
      // A string of Objective-C is copied first.
      if isWritten == nil { write(.text(String(decoding: Array(text.utf8), as: UTF8.self))) }
    case .binary(let data):
      data.withUnsafeBytes { writeMessage(.binary, $0) }
    }
  }

  private mutating func writeMessage(_ opcode: Opcode, _ message: UnsafeRawBufferPointer) {
    guard var deflater = self.deflater.value else { return write(opcode, message) }
    defer { self.deflater.value = deflater }
    let isCompressed = deflater.deflate(message) { write(opcode, $0, isCompressed: true) }
    if !isCompressed { write(opcode, message) }
  }

  private mutating func write(_ opcode: Opcode, _ payload: Data) {
    payload.withUnsafeBytes { write(opcode, $0) }
  }

  private mutating func write(_ payload: ClosePayload) {
    payload.bytes.withUnsafeBytes { write(.close, $0) }
  }

  private mutating func write(
    _ opcode: Opcode,
    _ payload: UnsafeRawBufferPointer,
    isFinal: Bool = true,
    isCompressed: Bool = false
  ) {
    counts.framesSent += 1
    encoder.write(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, to: &output)
  }
}
