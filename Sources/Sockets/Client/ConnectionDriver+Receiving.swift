/// Bytes that were read and not worked on: the time of their connection was up, or its consumers are full.
struct HeldBytes {
  var bytes: [UInt8]
  /// The bytes before it are done with.
  var start = 0

  var count: Int { bytes.count - start }
}

/// The time that one connection may take before others have their turn: 150 microseconds.
///
/// The clock is read after the first unit of work, the second, the fourth and so on, and after every 32nd.
struct WorkSlice {
  private var start: UInt64?
  private var units = 0
  private var nextCheck = 1

  private static let limit: UInt64 = 150_000
  private static let largestStep = 32

  /// The units that follow take long: the time runs from here on, unless it does, and each of them is
  /// followed by a look at the clock.
  mutating func begin() {
    if start == nil { start = MonotonicClock.now }
    nextCheck = 0
  }

  /// Whether the time is up, after another unit of work.
  mutating func isSpent(now: () -> UInt64 = { MonotonicClock.now }) -> Bool {
    units += 1
    guard units >= nextCheck else { return false }
    nextCheck = units + min(units, Self.largestStep)
    guard let start else {
      start = now()
      return false
    }
    return now() - start >= Self.limit
  }
}

// One connection's input is worked on in slices. A message, or a part of one that is bounded by the bytes
// that it takes, is a unit of work; after each the windows of the consumers are looked at, and now and then
// the clock. What is left of a read then is held, reading pauses, and the connection goes on when its turn
// comes (`EventLoop.executeFairly`).
extension ConnectionDriver {
  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    keepalive.heard()
    work(on: bytes)
  }

  private func work(on bytes: UnsafeRawBufferPointer) {
    streams.beginRead(isClosing: isClosing)
    let rest = counted { deliver(bytes, allowance: &$0) }
    if !rest.isEmpty { held.value = HeldBytes(bytes: Array(rest)) }
    balance()
    flushAtEndOfTurn()
  }

  /// Lets `body` take as many messages as may come: it counts them down, and below zero it has met one that is too
  /// many.
  private func counted<Result>(_ body: (_ allowance: inout Int) -> Result) -> Result {
    var allowance = Int.max
    guard let limiter = registry?.limiter, let rate = limiter.messageRate,
      let visitor = lock.withLock({ session.visitor })
    else { return body(&allowance) }
    let before = limiter.messageAllowance(of: visitor, at: clock.now)
    allowance = before
    let result = body(&allowance)
    let isWithin = limiter.take(before - max(allowance, 0), of: visitor, at: clock.now)
    if !isWithin || allowance < 0 { refuse(.tooManyMessages(rate), "too many messages") }
    return result
  }

  private func refuse(_ error: WebSocketError, _ reason: String) {
    held.value = nil
    lock.withLock { session.refuse(error, .policyViolation, reason: reason) }
    deliver()
  }

  /// Works on what is held when it is this connection's turn.
  func goOnLater() {
    guard !isGoingOn else { return }
    isGoingOn = true
    // Open connections do not wait behind what strangers ask.
    let isOpening = lock.withLock { session.isOpeningServer }
    loop.executeFairly(isOpening ? .handshakes : .connections) {
      self.isGoingOn = false
      self.goOn()
    }
  }

  private func goOn() {
    // Consumers may have become full since.
    if isFull { return balance() }
    guard var held = held.take() else { return }
    streams.beginRead(isClosing: isClosing)
    let rest = counted { allowance in
      held.bytes.withUnsafeBytes {
        deliver(.init(rebasing: $0[held.start...]), allowance: &allowance, isItsTurn: true).count
      }
    }
    if rest > 0 {
      held.start = held.bytes.count - rest
      self.held.value = held
    }
    balance()
    flushAtEndOfTurn()
  }

  /// Tells what there is to tell, one thing after the other: whoever is told something can answer before the next
  /// thing takes effect.
  func deliver() {
    var allowance = Int.max
    _ = deliver(.init(start: nil, count: 0), allowance: &allowance)
  }

  /// The same, and what these bytes bring.
  ///
  /// - Parameter allowance: How many messages may be told; each that comes is counted down, and one that comes at zero
  ///   is not told: nothing more is done then.
  /// - Returns: What is left of the bytes when time or room is up.
  private func deliver(
    _ bytes: UnsafeRawBufferPointer, allowance: inout Int, isItsTurn: Bool = false
  ) -> UnsafeRawBufferPointer {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var input = bytes
    var slice = WorkSlice()
    while true {
      // Nearly all event are messages, and a value that may be any event is dear to copy.
      while let message = nextMessage(from: &input) {
        allowance -= 1
        if allowance < 0 { return nothing }
        streams.emit(message)
        if !input.isEmpty, mustStop(&slice) { return input }
      }
      let wantsFrames = streams.wantsFrames
      if !input.isEmpty { slice.begin() }
      let (event, isIgnored, isAsking) = lock.withLock { () -> (SessionEvent?, Bool, Bool) in
        // Requests wait for their turn, or a crowd of them would take all of one.
        if !isItsTurn, !input.isEmpty, session.isOpeningServer { return (nil, false, true) }
        let event = session.next(from: &input, wantsFrames: wantsFrames)
        return (event, session.ignoresInput, session.isAsking)
      }
      guard let event else {
        if isIgnored || input.isEmpty { return nothing }
        if isAsking { return input }
        if mustStop(&slice) { return input }
        continue
      }
      if case .message = event { allowance -= 1 }
      // A message that is too many is not begun, where frames are told.
      if allowance == 0, event.isDataFrame { allowance = -1 }
      if allowance < 0 { return nothing }
      prepare(for: event)
      streams.emit(event)
      switch event {
      case .state(let state): registry?.note(state, of: self)
      case .message, .frame, .pong: if !input.isEmpty, mustStop(&slice) { return input }
      case .connected, .failed, .ended, .asked, .log: break
      }
    }
  }

  /// Whether the rest of a read has to wait, after a unit of work.
  ///
  /// What the work has put into the output is looked at when it has stopped.
  @inline(__always)
  private func mustStop(_ slice: inout WorkSlice) -> Bool {
    if streams.isFull, !isClosing { return true }
    return slice.isSpent()
  }

  /// Asks each time: whoever was told the one before may observe frames from then on.
  @inline(__always)
  private func nextMessage(from input: inout UnsafeRawBufferPointer) -> WebSocketMessage? {
    streams.wantsFrames ? nil : lock.withLock { session.nextMessage(from: &input) }
  }

  /// What this side makes of event before it is told.
  private func prepare(for event: SessionEvent) {
    switch event {
    case .frame, .message: break
    case .pong(let payload): answerPings(payload)
    case .connected:
      startKeepalive()
      releaseHandshakeMemoryAtEndOfTurn()
      log(.info, "connected\(agreement?.request.map { ": \($0.path)" } ?? "")")
    case .state(.disconnecting):
      // On a connection that breaks, what had arrived is read as before.
      isClosing = !lock.withLock { session.isBroken }
      failTasks()
      log(.debug, "disconnecting")
    case .state(.connecting): log(.debug, "connecting")
    case .state: break
    case .failed(let error): note(error)
    case .ended(let outcome):
      failTasks()
      let level = lock.withLock { session.isStranger } ? WebSocketLog.Level.debug : .info
      log(level, "closed, \(outcome.code)\(outcome.reason.isEmpty ? "" : " \(outcome.reason)")")
    case .asked(let question): ask(question)
    case .log(let level, let line): log(level, line)
    }
  }

  private func note(_ error: WebSocketError) {
    guard registry != nil else { return log(.error, "\(error)") }
    switch error {
    // A refusal is written where it is made.
    case .handshake(.rejected): return
    case .tooManyMessages: log(.notice, "closed with 1008, \(error)")
    case .overBudget: log(.warning, "\(error)")
    default: log(.notice, "\(error)")
    }
  }

  /// Lets the program decide, or answer, and goes on with what it says.
  private func ask(_ question: ServerQuestion) {
    question.ask(on: loop) { [weak self] answer in
      guard let self else { return }
      loop.execute { self.goOn(after: answer) }
    }
  }

  private func goOn(after answer: ServerAnswer) {
    let plain = lock.withLock { session.answer(answer) }
    if let plain { registry?.note(answered: plain.status) }
    deliver()
    guard let plain else { return flushAndBalance() }
    // Writing a long answer takes a millisecond: open connections do not wait behind a crowd of them. `answer` is
    // released by then, so that nothing copies its bytes.
    loop.executeFairly(.handshakes) {
      self.flushAndBalance()
      if !plain.isLast { self.begin(.answerTaken(.handshake)) }
    }
  }
}
