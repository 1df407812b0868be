/// The transport of a connection whose bytes another library moves.
final class AdoptedTransport: Transport, EventHandler, @unchecked Sendable {
  private enum Phase {
    case idle
    case open(any TransportHandler, EventLoop.Registration)
    case closed
  }

  let loop: EventLoop
  let peerAddress: NetworkAddress?
  private let bytes = Locked(AdoptedBytes())
  private let gate = DeliveryGate()
  /// Nil after the end: the library's closures usually retain its connection, which retains this.
  private let channel: Locked<AdoptedConnection.Channel?>

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  private var isDeliveryDue = false
  private var hasEnded = false
  private var hasReportedEnd = false
  private var reportedFailure: TransportError?

  init(
    _ channel: AdoptedConnection.Channel, from peerAddress: NetworkAddress?, loop: EventLoop
  ) {
    self.channel = Locked(channel)
    self.peerAddress = peerAddress
    self.loop = loop
  }

  // The server was closed before it started the transport.
  deinit { channel.withLock { $0.take() }?.close() }

  var acknowledgement: Acknowledgement? { nil }

  // MARK: From the library, on any thread

  func receive(_ new: [UInt8]) {
    let mustDeliver = bytes.withLock { $0.receive(new) }
    updateReading()
    if mustDeliver { loop.execute { self.deliver() } }
  }

  func receiveEnd() { note(.input) }

  func noteClosed(_ error: TransportError?) {
    // The library has nothing to do any more. Its closures are released without the lock.
    let ended = channel.withLock { $0.take() }
    withExtendedLifetime(ended) { note(.closed(error)) }
  }

  private func note(_ end: AdoptedBytes.End) {
    if bytes.withLock({ $0.note(end) }) { loop.execute { self.deliver() } }
  }

  func noteWritten(_ count: Int) {
    let (isWritable, isLast) = bytes.withLock { ($0.noteWritten(count), $0.hasWrittenAll) }
    if isLast { loop.execute { self.closeIfBothEnded() } }
    guard isWritable else { return }
    loop.execute {
      guard case .open(let handler, _) = self.phase, !self.gate.isClosing else { return }
      handler.transportWritable()
    }
  }

  // MARK: Transport

  func start(_ handler: any TransportHandler) { loop.execute { self.begin(handler) } }

  func replaceHandler(with handler: any TransportHandler) {
    if case .open(_, let registration) = phase { phase = .open(handler, registration) }
  }

  private func begin(_ handler: any TransportHandler) {
    guard case .idle = phase else {
      precondition(gate.isClosing, "A transport is started once.")
      return handler.transportClosed(nil)
    }
    phase = .open(handler, loop.register(self))
    bytes.withLock { $0.open() }
    guard !gate.isClosing else { return }
    handler.transportOpened()
    deliver()
  }

  func write(_ new: UnsafeRawBufferPointer) -> Int {
    let count = bytes.withLock { $0.write(new.count) }
    if count > 0 { channel.withLock { $0 }?.write(Array(new.prefix(count))) }
    return count
  }

  func setReading(_ isReading: Bool) {
    bytes.withLock { $0.setReading(isReading) }
    gate.setReading(isReading)
    updateReading()
    loop.execute { self.deliver() }
  }

  /// Passes the wish to read on to the library: one thread at a time, so that the last wish wins.
  private func updateReading() {
    while let isRead = bytes.withLock({ $0.beginChangingReading() }) {
      channel.withLock { $0 }?.setReading(isRead)
      bytes.withLock { $0.readingChanged() }
    }
  }

  func closeWriting() {
    guard bytes.withLock({ $0.endWriting() }) else { return }
    channel.withLock { $0 }?.closeWriting()
    loop.execute { self.closeIfBothEnded() }
  }

  func close() {
    guard gate.beginClosing() else { return }
    bytes.withLock { $0.close() }
    loop.execute { self.finish(nil) }
  }

  // MARK: On the loop

  private func deliver() {
    // A scheduled fair job delivers the rest: this connection has used its share.
    guard !isDeliveryDue else { return }
    var slice = WorkSlice()
    while case .open(let handler, _) = phase, !gate.isClosing {
      if hasEnded {
        // Nothing is left to deliver but the end of the connection.
        if case .closed(let error) = bytes.withLock({ $0.end }) { finish(error) }
        return
      }
      switch bytes.withLock({ $0.take() }) {
      case .bytes(let received):
        updateReading()
        received.withUnsafeBytes { handler.transportReceived($0) }
        if slice.isSpent(afterLongUnit: true, now: { loop.now }) { return deliverLater() }
      case .end(let end): return deliver(end, to: handler)
      case nil: return reportUnreadEnd(to: handler)
      }
    }
  }

  private func deliverLater() {
    isDeliveryDue = true
    loop.executeFairly {
      self.isDeliveryDue = false
      self.deliver()
    }
  }

  private func deliver(_ end: AdoptedBytes.End, to handler: any TransportHandler) {
    if case .closed(let error) = end, let error = error ?? reportedFailure { return finish(error) }
    hasEnded = true
    handler.transportEnded()
    if end == .input { closeIfBothEnded() } else { finish(nil) }
  }

  /// Reports an end that waits behind bytes which the handler does not read.
  private func reportUnreadEnd(to handler: any TransportHandler) {
    guard !gate.isReading else { return }
    let (end, hasLostOutput) = bytes.withLock { ($0.end, $0.hasLostOutput) }
    switch end {
    case .none: break
    case .closed(let error?): reportFailure(error, to: handler)
    // The handler may not read before it has written, which it never will.
    case .closed(nil) where hasLostOutput: reportFailure(.reset, to: handler)
    case .input, .closed(nil):
      if !hasReportedEnd {
        hasReportedEnd = true
        handler.transportEndArrived()
      }
    }
  }

  private func reportFailure(_ error: TransportError, to handler: any TransportHandler) {
    guard reportedFailure == nil else { return }
    reportedFailure = error
    handler.transportFailed(error)
  }

  /// The library drops what it has not written when it closes: the handler's deadline is the limit.
  private func closeIfBothEnded() {
    if hasEnded, bytes.withLock({ $0.hasWrittenAll }) { finish(nil) }
  }

  /// Never called: this transport has no descriptor.
  func ready(_ events: ReadyEvents) {}

  func loopStopped() { finish(nil) }

  private func finish(_ error: TransportError?) {
    let last = phase
    if case .closed = last { return }
    phase = .closed
    gate.beginClosing()
    bytes.withLock { $0.close() }
    channel.withLock { $0.take() }?.close()
    guard case .open(let handler, let registration) = last else { return }
    loop.deregister(registration)
    handler.transportClosed(error)
  }
}
