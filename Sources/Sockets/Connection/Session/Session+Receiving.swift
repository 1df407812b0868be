/// The bytes of the peer.
extension Session {
  /// How many events without a report, such as pings, one call of `read` takes.
  private static let mostQuietEvents = 64

  /// The result of a step of reading.
  enum ReadStep {
    case message(WebSocketMessage)
    // Indirect, which keeps the value small: messages outnumber the other events by far.
    indirect case event(SessionEvent)
    /// The step took bytes and has no event; `input` is not empty.
    case more
    /// No event follows before further bytes arrive.
    case done
    /// The rest of `input` has to wait for its turn, or for the program's answer to a request.
    case wait
  }

  /// Takes bytes off the front of `input` up to the next event.
  ///
  /// It may take only a part of `input`, so that each call returns soon.
  ///
  /// - Parameter inTurn: whether requests may be processed, which takes long.
  @inline(__always)
  mutating func read(
    _ input: inout UnsafeRawBufferPointer, wantsFrames: Bool, inTurn: Bool
  ) -> ReadStep {
    // The only fast path: it takes a tenth off the time of a message.
    if case .open = phase, pendingEvents.isEmpty, !wantsFrames {
      connection.wantsFrames = false
      let count = input.count
      if let message = connection.wholeMessage(from: &input) {
        bytesReceived += count - input.count
        return .message(message)
      }
    }
    return readStep(&input, wantsFrames: wantsFrames, inTurn: inTurn)
  }

  @inline(never)
  private mutating func readStep(
    _ input: inout UnsafeRawBufferPointer, wantsFrames: Bool, inTurn: Bool
  ) -> ReadStep {
    let count = input.count
    defer { bytesReceived += count - input.count }
    var quietEvents = 0
    while pendingEvents.isEmpty {
      switch phase {
      case .open, .broken:
        connection.wantsFrames = wantsFrames
        let waiting = connection.output.count
        guard let event = connection.next(from: &input) else {
          return input.isEmpty ? .done : .more
        }
        if case .message(let message) = event { return .message(message) }
        answered += connection.output.count - waiting
        if let event = take(event) { return .event(event) }
        quietEvents += 1
        if quietEvents == Self.mostQuietEvents, !input.isEmpty { return .more }
      case .opening:
        if input.isEmpty { return .done }
        if isAwaitingAnswer || !inTurn && isServer { return .wait }
        receiveHandshake(&input)
      case .idle, .redirected, .over:
        return .done
      }
    }
    let event = pendingEvents.removeFirst()
    // Messages do not pass through `pendingEvents`. It may stay empty for years, so its memory is
    // freed.
    if pendingEvents.isEmpty { pendingEvents = [] }
    return .event(event)
  }

  /// Turns an event of the connection into one of the session; nil when it is not reported.
  mutating func take(_ event: ConnectionEvent) -> SessionEvent? {
    switch event {
    case .frame(let frame): return .frame(frame)
    case .message(let message): return .message(message)
    case .pong(let payload): return .pong(payload)
    case .ping: break
    case .peerClosed(.abnormal, _): conclude(CloseOutcome(error: .connectionLost), .graceful)
    case .peerClosed(let code, let reason):
      conclude(CloseOutcome(code: code, reason: reason), .graceful)
    case .failed(let error):
      let violation = WebSocketError.protocolViolation(error)
      conclude(
        CloseOutcome(error: violation, code: error.closeCode, reason: error.description),
        .graceful
      )
    }
    return nil
  }
}
