extension Session {
  /// Gives back the memory that a burst, or the handshake, has left; to be called when it is quiet.
  mutating func releaseIdleMemory() { connection.releaseIdleMemory() }

  /// Lets `body` put something into the connection's output.
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

  /// How many bytes wait to be written or are being written.
  var unwrittenCount: Int { connection.output.count + lent + connection.framableBytes }

  /// How many of the bytes of this side are written, at most: those that are being written count.
  var writtenCount: Int { bytesSent + lent }

  /// Where the message that was sent last ends in the bytes of this side: exactly when it is framed, otherwise at
  /// the earliest.
  var sentCount: Int {
    let framed = writtenCount + outputCount
    guard isFraming else { return framed }
    // Headers are added, and compression, which may leave nothing but a byte, comes where a message is framed.
    return connection.deflater.isNone ? framed + connection.framableBytes : framed + 1
  }

  /// Whether more follows what is in the output.
  var isFraming: Bool { connection.framableBytes > 0 }

  /// Whether more is to be written, or to be framed and then written.
  var hasOutput: Bool { outputCount > 0 || isFraming }

  /// Whether what follows has to be compressed first.
  var isCompressing: Bool { connection.isCompressing }

  /// How many bytes wait to be written, apart from those that are lent.
  var outputCount: Int { connection.output.count }

  /// Whether fragments of a message were sent and its last one was not.
  var isMidMessage: Bool { connection.isMidMessage }

  /// What has gone through, apart from round trips.
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

  /// Takes the output out, to be written elsewhere; `takeBack` follows.
  mutating func lend() -> OutputBuffer {
    let output = connection.output.lend()
    lent = output.count
    return output
  }

  /// Gives back what was lent: what is not written goes before what was sent meanwhile.
  mutating func takeBack(_ output: inout OutputBuffer, written: Int) {
    lent = 0
    bytesSent += written
    connection.output.takeBack(&output, written: written)
    if case .broken = phase { connection.discardOutput() }
    if state == .disconnected { connection.discardOutput() }
    connection.frame()
    answered = min(answered, connection.output.count)
    noteQueue()
  }

  /// How many bytes wait to be written, or for their turn, or are being written.
  ///
  /// None after the end, also while the last write is under way.
  private var queuedBytes: Int { state == .disconnected ? 0 : connection.queuedBytes + lent }

  private mutating func noteQueue() {
    let mark = options.limits.sendHighWaterMark
    isWritable = queuedBytes < (isWritable ? mark : mark / 2 + 1)
  }

  /// Whether the peer is to be heard, given that it is or is not now.
  ///
  /// A peer that asks for answers and does not take them must not fill the memory. For a server that
  /// is all of its output but for the rest of one long message, between whose fragments it answers; for a client, which
  /// sends of its own accord, only the pongs. A client that stopped reading while it sends would wait for a server that
  /// stopped for the same reason.
  func mayRead(whileReading isReading: Bool) -> Bool {
    // The program decides on what came first.
    if isAsking { return false }
    // Nothing is answered once this side closes.
    guard state == .connected || isStranger && state == .connecting else { return true }
    let waiting =
      isServer ? connection.output.count + lent + connection.bytesBehindFraming : answered
    return waiting <= (isReading ? Self.outputLimit : Self.outputLimit / 2)
  }

  /// Whether reading stops while consumers have enough: not for one that closes, which waits for the peer's close frame.
  var countsConsumers: Bool { state == .connected || isBroken }

  /// What decides whether the connection is read, and whether it is left.
  ///
  /// Mutating, so that a session which lies in memory is read there and not copied.
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
