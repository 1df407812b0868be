// Input of one connection is processed in slices. A unit of work is a step of `Session.read`: a
// message or a part of one, bounded by the bytes that it takes. After each unit the windows of the
// consumers are checked, and from time to time the clock. When a slice ends, the remaining bytes of
// the read are held, reading pauses, and the connection continues in its next fair turn
// (`EventLoop.executeFairly`).
extension ConnectionDriver {
  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    keepalive.noteSignOfLife()
    streams.beginRead(isClosing: isClosing)
    // What observers send meanwhile leaves then, too.
    flushAtEndOfTurn()
    let rest = withMessageAllowance { deliver(bytes, allowance: &$0) }
    if !rest.isEmpty { held.value = Array(rest)[...] }
    // The end of the turn updates it, too: before that, the transport delivers no more than this.
    bytesInTurn &+= UInt32(clamping: bytes.count)
    if bytesInTurn > Self.unmeasuredBytes || !rest.isEmpty || streams.isFull { updateReading() }
  }

  /// How many bytes are received in a turn before it is decided anew whether more are read.
  private static var unmeasuredBytes: UInt32 { 16 << 10 }

  /// Calls `body` with the number of messages that the rate limit allows.
  ///
  /// `body` counts each message down; a negative allowance means that a message exceeds the limit.
  @inline(__always)
  private func withMessageAllowance<Result>(_ body: (_ allowance: inout Int) -> Result) -> Result {
    if hasMessageRate { return withLimitedAllowance(body) }
    var allowance = Int.max
    return body(&allowance)
  }

  @inline(never)
  private func withLimitedAllowance<Result>(_ body: (_ allowance: inout Int) -> Result) -> Result {
    var allowance = Int.max
    guard let limiter = registry?.limiter, let rate = limiter.messageRate,
      let remoteClient = lock.withLock({ session.remoteClient })
    else { return body(&allowance) }
    let before = limiter.messageAllowance(of: remoteClient, at: clock.now)
    allowance = before
    let result = body(&allowance)
    let isWithin = limiter.take(before - max(allowance, 0), of: remoteClient, at: clock.now)
    if !isWithin || allowance < 0 {
      held.value = nil
      lock.withLock {
        session.fail(.tooManyMessages(rate), .policyViolation, reason: "too many messages")
      }
      deliver()
    }
    return result
  }

  /// Schedules a fair turn that processes the held bytes.
  func scheduleTurn() {
    guard !isTurnScheduled else { return }
    isTurnScheduled = true
    // Open connections do not wait behind requests of new clients.
    let isOpening = lock.withLock { session.isOpeningServer }
    loop.executeFairly(isOpening ? .handshakes : .connections) {
      self.isTurnScheduled = false
      self.processHeldBytes()
    }
  }

  private func processHeldBytes() {
    // Consumers may have become full since the turn was scheduled.
    if streams.isFull, lock.withLock({ session.pausesForConsumers }) { return updateReading() }
    guard let held = held.take() else { return }
    streams.beginRead(isClosing: isClosing)
    let rest = withMessageAllowance { allowance in
      held.withUnsafeBytes { deliver($0, allowance: &allowance, inTurn: true).count }
    }
    if rest > 0 { self.held.value = held.suffix(rest) }
    updateReading()
    flushAtEndOfTurn()
  }

  /// Delivers pending events one by one: an observer can react before the next takes effect.
  func deliver() {
    var allowance = Int.max
    _ = deliver(.init(start: nil, count: 0), allowance: &allowance)
  }

  /// Delivers pending events and those of `bytes`.
  ///
  /// - Parameters:
  ///   - allowance: how many messages may be delivered. Each message counts it down. A message at
  ///     zero is not delivered and ends the call.
  ///   - inTurn: whether this is a fair turn, in which requests are processed.
  /// - Returns: the bytes that were not processed because time or room was used up.
  private func deliver(
    _ bytes: UnsafeRawBufferPointer, allowance: inout Int, inTurn: Bool = false
  ) -> UnsafeRawBufferPointer {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var input = bytes
    var slice = WorkSlice()
    while true {
      // An observer of the last message may have subscribed to frames.
      let wantsFrames = streams.wantsFrames
      var isLong = true
      if let message = lock.withLock({ session.readMessage(&input, wantsFrames: wantsFrames) }) {
        guard deliver(message, &allowance), !input.isEmpty else { return nothing }
        isLong = message.byteCount > Self.longMessage
      } else {
        let step = lock.withLock {
          // Requests are processed in fair turns only: otherwise many of them would delay all else
          // in this turn.
          session.read(&input, wantsFrames: wantsFrames, inTurn: inTurn)
        }
        switch step {
        case .done: return nothing
        case .wait: return input
        case .more: break
        case .message(let message):
          guard deliver(message, &allowance) else { return nothing }
          isLong = message.byteCount > Self.longMessage
        case .event(let event):
          // With an observer of frames, a message beyond the allowance stops at its first frame.
          if allowance == 0, event.isDataFrame { allowance = -1 }
          if allowance < 0 { return nothing }
          handle(event)
        }
      }
      if !input.isEmpty, mustStop(&slice, afterLongUnit: isLong) { return input }
    }
  }

  /// Delivers a message; returns false, and delivers nothing, when it is beyond the allowance.
  @inline(__always)
  private func deliver(_ message: WebSocketMessage, _ allowance: inout Int) -> Bool {
    allowance -= 1
    if allowance < 0 { return false }
    if SocketTaps.areObserved, options.isTapped {
      SocketTaps.received(message, by: self) { streams.emit(message) }
    } else {
      streams.emit(message)
    }
    return true
  }

  /// Acts on an event other than a message, and delivers it.
  private func handle(_ event: SessionEvent) {
    actBeforeDelivery(of: event)
    if SocketTaps.areObserved { tapSession(event) }
    streams.emit(event)
    if case .state(let state) = event { registry?.note(state, of: self) }
  }

  /// Whether the remaining bytes of a read have to wait after a unit of work.
  ///
  /// Output that the work produced is measured afterwards, in `updateReading()`.
  @inline(__always)
  private func mustStop(_ slice: inout WorkSlice, afterLongUnit isLong: Bool) -> Bool {
    if streams.isFull, !isClosing { return true }
    return slice.isSpent(afterLongUnit: isLong) { loop.now }
  }

  /// The length in bytes above which the clock is read after a message.
  private static var longMessage: Int { 4_096 }

  private func actBeforeDelivery(of event: SessionEvent) {
    switch event {
    case .frame, .message: break
    case .pong(let payload): pongArrived(payload)
    case .connected:
      startKeepalive()
      isFirstFlushDue = true
      flushAtEndOfTurn()
      log(.info, "connected\(agreement?.request.map { ": \($0.path)" } ?? "")")
    case .state(.disconnecting):
      // A close discards messages for which there is no room. On a broken connection the bytes that
      // had arrived are still delivered.
      isClosing = !lock.withLock { session.isBroken }
      failTasks()
      log(.debug, "disconnecting")
    case .state(.connecting): log(.debug, "connecting")
    case .state: break
    case .failed(let error): log(error)
    case .ended(let outcome):
      failTasks()
      let level = lock.withLock { session.isBeforeUpgrade } ? WebSocketLog.Level.debug : .info
      log(
        level, "closed, \(outcome.code)\(outcome.reason.isEmpty ? "" : " \(outcome.reason)")",
        closeCode: outcome.code, error: outcome.error)
    case .asked(let question): ask(question)
    case .log(let level, let line): log(level, line)
    }
  }

  private func log(_ error: WebSocketError) {
    guard registry != nil else { return log(.error, "\(error)", error: error) }
    switch error {
    // A refusal is logged where it is made.
    case .handshake(.rejected): return
    case .tooManyMessages: log(.notice, "closed with 1008, \(error)", error: error)
    case .overBudget: log(.warning, "\(error)", error: error)
    default: log(.notice, "\(error)", error: error)
    }
  }

  /// Asks the program, and continues with its answer on the loop.
  private func ask(_ question: ServerQuestion) {
    question.ask(on: loop) { [weak self] answer in
      guard let self else { return }
      loop.execute { self.apply(answer) }
    }
  }

  private func apply(_ answer: ServerAnswer) {
    let plain = lock.withLock { session.answer(answer) }
    if let plain { registry?.note(answered: plain.status) }
    deliver()
    guard let plain else { return flushAndUpdateReading() }
    let write: @Sendable () -> Void = {
      self.flushAndUpdateReading()
      if !plain.isLast { self.begin(.answerTaken(.handshake)) }
    }
    let isLong = lock.withLock { session.outputCount > OutputBuffer.retainedCapacity }
    // Writing a long answer takes a millisecond, so it takes a fair turn: open connections do not
    // wait behind many of them. `answer` is released before that, so that its bytes are not copied.
    if isLong { loop.executeFairly(.handshakes, write) } else { write() }
  }
}
