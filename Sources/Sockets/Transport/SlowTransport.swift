/// Delays both directions of a connection, for a tool.
///
/// It is put between a driver and its transport while the connection is open, and stays there until the
/// end. What the peer sends and what the program sends wait in two queues, each in its order, with the ends
/// of the directions and of the connection behind the bytes. ``close()`` does not wait: it drops both.
final class SlowTransport: Transport, TransportHandler {
  /// What the peer's direction brings.
  fileprivate enum Input {
    case bytes([UInt8])
    case ended
    case endArrived
    case failed(TransportError)
    case closed(TransportError?)
  }

  /// What is written later.
  fileprivate enum Output {
    case bytes(ArraySlice<UInt8>)
    case end
  }

  fileprivate struct State {
    var delay: Duration
    /// Nil after the end.
    var handler: (any TransportHandler)?
    var input = Fifo<(due: Duration, item: Input)>()
    var output = Fifo<(due: Duration, item: Output)>()
    /// The times at which the last items of the queues are due.
    var lastInput = Duration.zero
    var lastOutput = Duration.zero
    /// The bytes in the queues.
    var inputCount = 0
    var outputCount = 0
    /// The latest time whose wait has ended: a clock in floating point may show one slightly before.
    var reached = Duration.zero
    /// Whether the driver reads.
    var isReading: Bool
    /// Whether the inner transport is read.
    var isInnerRead: Bool
    /// Whether an end that waits was reported to the driver while it did not read.
    var hasReportedEnd = false
    /// Whether a write was cut short.
    var isFull = false
    /// Whether the inner transport has no room.
    var isInnerFull = false
    var isClosed = false
    /// Whether the loop is inside ``deliver()``.
    var isDelivering = false
  }

  let loop: EventLoop
  private let inner: any Transport
  private let clock: LoopClock
  // The lock is held while the inner transport writes, which calls no handler.
  private let state: Locked<State>

  /// The most bytes that wait in one direction, in bytes.
  private static let limit = 1 << 20

  /// - Parameters:
  ///   - inner: transport that is open; ``begin()`` takes its events
  ///   - isReading: whether the driver reads
  init(
    _ inner: any Transport, for handler: any TransportHandler, isReading: Bool, clock: LoopClock,
    delay: Duration
  ) {
    loop = inner.loop
    self.inner = inner
    self.clock = clock
    state = Locked(
      State(delay: delay, handler: handler, isReading: isReading, isInnerRead: isReading))
  }

  /// Takes the events of the inner transport; called on the loop.
  func begin() { inner.replaceHandler(with: self) }

  /// The delay of each direction; what waits already keeps its time.
  var delay: Duration {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }

  // MARK: Transport

  func start(_ handler: any TransportHandler) {
    preconditionFailure("SlowTransport: the inner transport is started already.")
  }

  func replaceHandler(with handler: any TransportHandler) {
    state.withLock { if $0.handler != nil { $0.handler = handler } }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let now = clock.now
    let (count, due) = state.withLock { state -> (Int, Duration?) in
      if state.isClosed { return (0, nil) }
      // A driver that is not slow any more writes directly.
      if state.delay == .zero, state.output.isEmpty { return (inner.write(bytes), nil) }
      let count = min(bytes.count, max(0, Self.limit - state.outputCount))
      if count < bytes.count { state.isFull = true }
      if count == 0 { return (0, nil) }
      let due = state.dueOutput(now)
      state.output.append((due, .bytes(Array(bytes[..<count])[...])))
      state.outputCount += count
      return (count, due)
    }
    if let due { run(at: due, now) }
    return count
  }

  func setReading(_ isReading: Bool) {
    updateReading { $0.isReading = isReading }
    if isReading { loop.execute { self.deliver() } }
  }

  func closeWriting() {
    let now = clock.now
    let due = state.withLock { state -> Duration? in
      if state.output.isEmpty, state.delay == .zero { return nil }
      let due = state.dueOutput(now)
      state.output.append((due, .end))
      return due
    }
    if let due { run(at: due, now) } else { inner.closeWriting() }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.output.removeAll()
    }
    inner.close()
    // The end may have arrived, and wait.
    loop.execute { self.deliver() }
  }

  var peerAddress: NetworkAddress? { inner.peerAddress }

  var clientCertificate: TLSClientCertificate? { inner.clientCertificate }

  var acknowledgement: Acknowledgement? { inner.acknowledgement }

  // MARK: The peer's direction, on the loop

  func transportOpened() { state.withLock { $0.handler }?.transportOpened() }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) { receive(.bytes(Array(bytes))) }

  func transportEnded() { receive(.ended) }

  func transportEndArrived() { receive(.endArrived) }

  func transportFailed(_ error: TransportError) { receive(.failed(error)) }

  func transportClosed(_ error: TransportError?) { receive(.closed(error)) }

  private func receive(_ item: Input) {
    let now = clock.now
    let due = state.withLock { state in
      // This side has closed: only the end is of interest, at once.
      let due = state.isClosed ? now : max(state.lastInput, now + state.delay)
      state.lastInput = due
      state.input.append((due, item))
      if case .bytes(let bytes) = item { state.inputCount += bytes.count }
      return due
    }
    updateReading { _ in }
    if due <= now { deliver() } else { run(at: due, now) }
  }

  /// Delivers what is due; called on the loop.
  private func deliver() {
    if state.withLock({ swapped(&$0.isDelivering, true) }) { return }
    while let (handler, item) = nextInput() {
      switch item {
      case .bytes(let bytes): bytes.withUnsafeBytes { handler.transportReceived($0) }
      case .ended: handler.transportEnded()
      case .endArrived: handler.transportEndArrived()
      case .failed(let error): handler.transportFailed(error)
      case .closed(let error): handler.transportClosed(error)
      }
    }
    state.withLock { $0.isDelivering = false }
    updateReading { _ in }
  }

  /// Removes what is delivered next; nil for nothing.
  private func nextInput() -> (any TransportHandler, Input)? {
    let clockNow = clock.now
    return state.withLock { state in
      let now = max(clockNow, state.reached)
      guard let handler = state.handler else { return nil }
      if state.isClosed {
        // After the close of this side, nothing but the end is delivered.
        while let (_, item) = state.input.popFirst() {
          guard case .closed = item else { continue }
          state.handler = nil
          return (handler, item)
        }
        return nil
      }
      while let (due, item) = state.input.first, due <= now {
        switch item {
        case .bytes, .ended:
          // As a transport that is paused: an end behind unread bytes is reported.
          guard state.isReading else { return state.reportedEnd(now).map { (handler, $0) } }
          if case .bytes(let bytes) = item { state.inputCount -= bytes.count }
        case .endArrived, .failed:
          if swapped(&state.hasReportedEnd, true) {
            _ = state.input.popFirst()
            continue
          }
        case .closed: state.handler = nil
        }
        _ = state.input.popFirst()
        return (handler, item)
      }
      return nil
    }
  }

  /// Reads the inner transport while the driver reads and there is room.
  private func updateReading(_ change: (inout State) -> Void) {
    let isRead = state.withLock { state -> Bool? in
      change(&state)
      let limit = state.isInnerRead ? Self.limit : Self.limit / 2
      let isRead = state.isReading && state.inputCount < limit
      return swapped(&state.isInnerRead, isRead) == isRead ? nil : isRead
    }
    if let isRead { inner.setReading(isRead) }
  }

  // MARK: The program's direction

  func transportWritable() {
    state.withLock { $0.isInnerFull = false }
    pump()
    let (handler, mayWrite) = state.withLock { ($0.handler, $0.output.isEmpty) }
    // A write that was passed on may have been cut short.
    if mayWrite { handler?.transportWritable() }
  }

  /// Writes what is due; called on the loop.
  private func pump() {
    let clockNow = clock.now
    let (endsWriting, handler) = state.withLock { state -> (Bool, (any TransportHandler)?) in
      let now = max(clockNow, state.reached)
      var endsWriting = false
      while !state.isInnerFull, let (due, item) = state.output.first, due <= now {
        guard case .bytes(let bytes) = item else {
          _ = state.output.popFirst()
          endsWriting = true
          continue
        }
        let written = bytes.withUnsafeBytes { inner.write($0) }
        state.outputCount -= written
        if written == bytes.count {
          _ = state.output.popFirst()
        } else {
          _ = state.output.replaceFirst(with: (due, .bytes(bytes.dropFirst(written))))
          state.isInnerFull = true
        }
      }
      let hasRoom = state.isFull && state.outputCount <= Self.limit / 2
      if hasRoom { state.isFull = false }
      return (endsWriting, hasRoom ? state.handler : nil)
    }
    if endsWriting { inner.closeWriting() }
    handler?.transportWritable()
  }

  /// Delivers and writes what is due at this time.
  private func run(at due: Duration, _ now: Duration) {
    // Retained until then: the connection may have ended, and the closure then does nothing.
    _ = clock.after(max(due - now, .zero)) { [self] in
      state.withLock { $0.reached = max($0.reached, due) }
      deliver()
      pump()
    }
  }
}

extension SlowTransport.State {
  /// The time at which what is written now is due.
  fileprivate mutating func dueOutput(_ now: Duration) -> Duration {
    lastOutput = max(lastOutput, now + delay)
    return lastOutput
  }

  /// The report of an end that is due behind bytes which the driver does not read; nil for none.
  fileprivate mutating func reportedEnd(_ now: Duration) -> SlowTransport.Input? {
    if hasReportedEnd { return nil }
    for offset in 0..<input.count where input[offset].due <= now {
      switch input[offset].item {
      case .bytes: continue
      case .failed(let error), .closed(let error?):
        hasReportedEnd = true
        return .failed(error)
      case .ended, .endArrived, .closed(nil):
        hasReportedEnd = true
        return .endArrived
      }
    }
    return nil
  }
}

/// Sets a value, and returns the one before.
private func swapped<Value>(_ value: inout Value, _ new: Value) -> Value {
  defer { value = new }
  return value
}
