extension Session {
  /// Frees the memory that a burst or the handshake has left; called while the connection is quiet.
  mutating func releaseIdleMemory() { connection.releaseIdleMemory() }

  /// Lets `body` append to the connection's output.
  @inline(__always) mutating func send(
    _ body: (inout Connection) throws(SendError) -> Void
  ) throws(WebSocketError) {
    guard state == .connected else { throw .notConnected(state) }
    do throws(SendError) {
      try body(&connection)
      noteQueue()
    } catch {
      switch error {
      case .notOpen: throw .notConnected(state)
      case .closeCodeNotSendable(let code): throw .closeCodeNotSendable(code)
      case .controlPayloadTooLong(let length): throw .controlPayloadTooLong(length: length)
      }
    }
  }

  /// The bytes that are queued, being written or yet to be framed.
  var unwrittenCount: Int { connection.output.count + lent + connection.framableBytes }

  /// The bytes of this side that are written or being written.
  var writtenCount: Int { bytesSent + lent }

  /// The position in this side's bytes where the last message ends.
  ///
  /// Exact once the message is framed, otherwise the lowest possible position.
  var sentCount: Int {
    let framed = writtenCount + outputCount
    guard isFraming else { return framed }
    // Framing adds headers. Compression happens while framing and may leave as little as one byte.
    return connection.deflater.isNone ? framed + connection.framableBytes : framed + 1
  }

  /// Whether a message or the close frame is still to be framed behind the output.
  var isFraming: Bool { connection.canFrame }

  /// Whether there is output to write, or a message to frame first.
  var hasOutput: Bool { outputCount > 0 || isFraming }

  /// Whether what is to be framed may have to be compressed first.
  var isCompressing: Bool { isFraming && !connection.deflater.isNone }

  /// The bytes of output, without those that are lent.
  var outputCount: Int { connection.output.count }

  /// Whether fragments of a message were sent but not its last one.
  var isMidMessage: Bool { connection.isMidMessage }

  /// The counts of frames, messages and bytes, without round trips.
  var metrics: WebSocketMetrics {
    let counts = connection.counts
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

  /// Takes the output out, to be written outside of the lock; `takeBack` follows.
  mutating func lend() -> OutputBuffer {
    let output = connection.output.lend()
    lent = output.count
    return output
  }

  /// Returns the output that was lent; unwritten bytes go before those that were sent meanwhile.
  ///
  /// - Parameter frames: Whether queued messages are framed, and compressed, into the free room.
  mutating func takeBack(_ output: inout OutputBuffer, written: Int, frames: Bool = true) {
    lent = 0
    bytesSent += written
    connection.output.takeBack(&output, written: written)
    if case .broken = phase { connection.discardOutput() }
    if state == .disconnected { connection.discardOutput() }
    if frames { connection.frame() }
    answered = min(answered, connection.output.count)
    noteQueue()
  }

  /// The bytes of this side that are queued, in the output or behind it, or being written.
  ///
  /// Zero after the end, also while the last write is under way.
  private var queuedBytes: Int { state == .disconnected ? 0 : connection.queuedBytes + lent }

  private mutating func noteQueue() {
    let mark = options.limits.sendHighWaterMark
    isWritable = queuedBytes < (isWritable ? mark : mark / 2 + 1)
  }

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
    let waiting =
      isServer ? connection.output.count + lent + connection.bytesBehindFraming : answered
    return waiting <= (isReading ? Self.outputLimit : Self.outputLimit / 2)
  }

  /// Whether full consumers pause reading; a closing session reads on, up to the close frame.
  var countsConsumers: Bool { state == .connected || isBroken }

  /// The facts that decide whether the connection is read and whether it is shut down.
  ///
  /// Mutating, so that the session is read in place and not copied.
  mutating func balance(whileReading isReading: Bool) -> Balance {
    Balance(
      shutdown: shutdown,
      mayRead: mayRead(whileReading: isReading),
      countsConsumers: countsConsumers,
      isBroken: isBroken,
      unfinishedBytes: unfinishedBytes
    )
  }

  struct Balance {
    let shutdown: Shutdown?
    let mayRead: Bool
    let countsConsumers: Bool
    let isBroken: Bool
    let unfinishedBytes: Int
  }

  mutating func put(_ bytes: [UInt8]) {
    connection.output.append(bytes)
  }
}
