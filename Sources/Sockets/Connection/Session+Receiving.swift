/// The bytes of the peer.
extension Session {
  /// How many events without a report, such as pings, one call of `read` takes.
  private static let mostQuietEvents = 64

  /// The result of a step of reading.
  enum ReadStep {
    case message(WebSocketMessage)
    case event(SessionEvent)
    /// The step took bytes and has no event; `input` is not empty.
    case more
    /// No event follows before further bytes arrive.
    case done
    /// The rest of `input` has to wait for its turn, or for the program's answer to a request.
    case wait
  }

  /// The bytes received of messages and requests that are not complete.
  var unfinishedBytes: Int {
    if case .opening(.server(let opening)) = phase { return opening.unfinishedBytes }
    return codec.unfinishedBytes
  }

  /// Takes a whole message off the front of `input`: a fast path, which takes a tenth off the time of
  /// a message.
  ///
  /// Nil, and nothing is taken, when `read` has to do it. Otherwise no event follows before the rest
  /// of `input`.
  @inline(__always)
  mutating func readMessage(
    _ input: inout UnsafeRawBufferPointer, wantsFrames: Bool
  ) -> WebSocketMessage? {
    guard case .open = phase, pendingEvents.isEmpty, !wantsFrames else { return nil }
    codec.wantsFrames = false
    let count = input.count
    guard let message = codec.wholeMessage(from: &input) else { return nil }
    bytesReceived += count - input.count
    return message
  }

  /// Takes bytes off the front of `input` up to the next event.
  ///
  /// It may take only a part of `input`, so that each call returns soon.
  ///
  /// - Parameter inTurn: whether requests may be processed, which takes long.
  @inline(never)
  mutating func read(
    _ input: inout UnsafeRawBufferPointer, wantsFrames: Bool, inTurn: Bool
  ) -> ReadStep {
    let count = input.count
    defer { bytesReceived += count - input.count }
    var quietEvents = 0
    while pendingEvents.isEmpty {
      switch phase {
      case .open, .broken:
        codec.wantsFrames = wantsFrames
        do throws(ProtocolError) {
          guard let event = try codec.next(from: &input) else {
            return input.isEmpty ? .done : .more
          }
          if case .message(let message) = event { return .message(message) }
          if let event = handle(event) { return .event(event) }
        } catch {
          fail(.protocolViolation(error), error.closeCode, reason: error.description)
        }
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
    // Messages do not pass through `pendingEvents`. It may stay empty for years while the connection
    // is open, and after its end, so its memory is freed then.
    if pendingEvents.isEmpty, state == .connected || state == .disconnected { pendingEvents = [] }
    return .event(event)
  }

  /// Applies an event of the peer, and returns what is reported of it; nil for nothing.
  private mutating func handle(_ event: MessageCodec.Event) -> SessionEvent? {
    switch event {
    case .frame(let frame): return .frame(frame)
    case .message(let message): return .message(message)
    case .pong(let payload): return .pong(payload)
    case .ping(let payload):
      // 5.5.2: a ping is answered with a pong of the same payload, unless a close frame was sent.
      guard state == .connected else { return nil }
      let count = codec.output.count
      codec.write(.pong, payload)
      pongBytes += codec.output.count - count
    case .close(let payload):
      // 5.5.1: a close frame is answered with a close frame, typically with the same code.
      codec.closeAtOnce(ClosePayload(code: payload.code, reason: ""))
      end(CloseOutcome(code: payload.code, reason: payload.reason), .graceful)
    }
    return nil
  }
}
