#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bytes for the peer.
extension Session {
  /// Sends a message.
  @inline(__always)
  mutating func send(_ message: WebSocketMessage) throws(WebSocketError) {
    try append { $0.send(message) }
  }

  /// Sends a message that is prepared for many connections.
  mutating func send(_ prepared: PreparedMessage) throws(WebSocketError) {
    try append { $0.send(prepared) }
  }

  /// Sends a fragment of a message, uncompressed; the first one begins the message.
  mutating func sendFragment(
    _ opcode: Opcode, _ data: Data, isFinal: Bool
  ) throws(WebSocketError) {
    try append { $0.sendFragment(opcode, data, isFinal: isFinal) }
  }

  /// Sends a ping, whose pong has the same payload.
  mutating func ping(_ payload: Data) throws(WebSocketError) {
    // 5.5: a control frame carries at most 125 bytes.
    if state == .connected, payload.count > FrameHeader.maximumControlLength {
      throw .controlPayloadTooLong(length: payload.count)
    }
    try append { $0.write(.ping, payload) }
  }

  @inline(__always)
  private mutating func append(_ body: (inout MessageCodec) -> Void) throws(WebSocketError) {
    guard state == .connected else { throw .notConnected(state) }
    body(&codec)
    updateWritability()
  }

  /// The bytes that are queued, being written or yet to be framed.
  var unwrittenCount: Int { codec.output.count + bytesInWrite + codec.framableBytes }

  /// The bytes of this side that are written or being written.
  var writtenCount: Int { bytesSent + bytesInWrite }

  /// The position in this side's bytes where the last message ends.
  ///
  /// Exact once the message is framed, otherwise the lowest possible position.
  var sentCount: Int {
    let framed = writtenCount + outputCount
    guard isFraming else { return framed }
    // Framing adds headers. Compression happens while framing and may leave as little as one byte.
    return codec.deflater.isNone ? framed + codec.framableBytes : framed + 1
  }

  /// Whether a message or the close frame is still to be framed behind the output.
  @inline(__always)
  var isFraming: Bool { codec.canFrame }

  /// Whether there is output to write, or a message to frame first.
  @inline(__always)
  var hasOutput: Bool { outputCount > 0 || isFraming }

  /// Whether what is to be framed may have to be compressed first.
  @inline(__always)
  var needsCompression: Bool { isFraming && !codec.deflater.isNone }

  /// The bytes of output, without those that are being written.
  @inline(__always)
  var outputCount: Int { codec.output.count }

  /// The counts of frames, messages and bytes, without round trips.
  var metrics: WebSocketMetrics {
    let counts = codec.counts
    return WebSocketMetrics(
      framesReceived: counts.framesReceived,
      framesSent: counts.framesSent,
      messagesReceived: counts.messagesReceived,
      messagesSent: counts.messagesSent,
      bytesReceived: bytesReceived,
      bytesSent: bytesSent,
      queuedBytes: queuedBytes
    )
  }

  /// Takes the output out, to be written outside of the lock; `endWrite` follows.
  mutating func beginWrite() -> OutputBuffer {
    let output = codec.output.takeAll()
    bytesInWrite = output.count
    return output
  }

  /// Returns the output after a write; unwritten bytes go before those that were sent meanwhile.
  ///
  /// - Parameter mayFrame: Whether queued messages are framed, and compressed, into the free room.
  mutating func endWrite(_ output: inout OutputBuffer, written: Int, mayFrame: Bool = true) {
    bytesInWrite = 0
    bytesSent += written
    codec.output.putBack(&output, written: written)
    if case .broken = phase { codec.discardOutput() }
    if state == .disconnected { codec.discardOutput() }
    if mayFrame, codec.canFrame { codec.frame() }
    pongBytes = min(pongBytes, codec.output.count)
    updateWritability()
  }

  /// The bytes of this side that are queued, in the output or behind it, or being written.
  ///
  /// Zero after the end, also while the last write is under way.
  @inline(__always)
  private var queuedBytes: Int { state == .disconnected ? 0 : codec.queuedBytes + bytesInWrite }

  @inline(__always)
  private mutating func updateWritability() {
    let mark = options.limits.sendHighWaterMark
    isWritable = queuedBytes < (isWritable ? mark : mark / 2 + 1)
  }

  /// The bytes of output above which reading pauses, until half of them are written.
  private static let outputLimit = 1 << 20

  /// Whether the peer's bytes may be read, by how much output is queued.
  ///
  /// A peer that asks for answers and does not take them must not fill the memory. For a server,
  /// all output counts except the unframed rest of one long message, because pongs go between its
  /// fragments. For a client, only pongs count: it sends on its own account, and if it paused
  /// reading for that, it could wait for a server that paused for the same reason.
  ///
  /// - Parameter isReading: whether bytes are being read now; a paused connection resumes at half
  ///   the limit.
  func mayRead(whileReading isReading: Bool) -> Bool {
    // Further input waits until the program has answered the request.
    if isAwaitingAnswer { return false }
    // A closing side answers nothing, so its output does not grow.
    guard state == .connected || isBeforeUpgrade && state == .connecting else { return true }
    return waitingBytes <= Self.waitingLimit(whileReading: isReading)
  }

  /// The bytes of output that decide whether reading pauses.
  @inline(__always)
  private var waitingBytes: Int {
    isServer ? codec.output.count + bytesInWrite + codec.bytesBehindFraming : pongBytes
  }

  private static func waitingLimit(whileReading isReading: Bool) -> Int {
    isReading ? outputLimit : outputLimit / 2
  }

  /// Whether full consumers pause reading; a closing session reads on, up to the close frame.
  var pausesForConsumers: Bool { state == .connected || isBroken }

  /// The facts that decide whether the connection is read and whether it is shut down.
  ///
  /// Mutating, so that the session is read in place and not copied.
  @inline(__always)
  mutating func readiness(whileReading isReading: Bool) -> Readiness {
    // The usual case, which the general one takes ten times as long for.
    if case .open = phase, state == .connected {
      return Readiness(
        shutdown: nil, mayRead: waitingBytes <= Self.waitingLimit(whileReading: isReading),
        pausesForConsumers: true, isBroken: false, unfinishedBytes: codec.unfinishedBytes)
    }
    return otherReadiness(whileReading: isReading)
  }

  @inline(never)
  private mutating func otherReadiness(whileReading isReading: Bool) -> Readiness {
    Readiness(
      shutdown: shutdown,
      mayRead: mayRead(whileReading: isReading),
      pausesForConsumers: pausesForConsumers,
      isBroken: isBroken,
      unfinishedBytes: unfinishedBytes
    )
  }

  struct Readiness {
    let shutdown: Shutdown?
    let mayRead: Bool
    let pausesForConsumers: Bool
    let isBroken: Bool
    let unfinishedBytes: Int
  }
}
