import Reactive

/// One end of a connection inside the process, for tests.
///
/// It behaves as TCP does: bounded, ordered and half-closable. Writing to an end that has closed
/// resets the connection.
package final class MemoryTransport: Transport, EventHandler, @unchecked Sendable {
  private enum Phase {
    case idle
    case open(any TransportHandler, EventLoop.Registration)
    case closed
  }

  /// The writing half, which any thread may use.
  private enum WriteState {
    case unopened
    case open
    case ended
    case closed
  }

  package let loop: EventLoop
  private let maximumDelivery: Int
  private let inbox: Locked<MemoryInbox>
  private let writeState = Locked(WriteState.unopened)
  private let acknowledged = Locked<Acknowledgement?>(nil)
  private let gate = DeliveryGate()

  // Set once before the pair is returned; the cycle ends when either end closes.
  private let peer = Locked<MemoryTransport?>(nil)

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  private var hasEnded = false
  private var hasReportedEnd = false
  private var hasReportedFailure = false
  /// The error after which no byte can be written.
  private var failure: TransportError?

  /// Makes two connected ends on `loop`; start both.
  ///
  /// Each end retains the other until it closes.
  ///
  /// - Parameters:
  ///   - capacity: most undelivered bytes in each direction
  ///   - maximumDelivery: most bytes of one `transportReceived`, to split writes
  package static func pair(
    loop: EventLoop = .shared,
    capacity: Int = 65_536,
    maximumDelivery: Int = .max
  ) -> (MemoryTransport, MemoryTransport) {
    let first = MemoryTransport(loop, capacity, maximumDelivery)
    let second = MemoryTransport(loop, capacity, maximumDelivery)
    first.peer.withLock { $0 = second }
    second.peer.withLock { $0 = first }
    return (first, second)
  }

  private init(_ loop: EventLoop, _ capacity: Int, _ maximumDelivery: Int) {
    self.loop = loop
    self.maximumDelivery = maximumDelivery
    inbox = Locked(MemoryInbox(capacity: capacity))
  }

  package func start(_ handler: any TransportHandler) {
    loop.execute { self.begin(handler) }
  }

  package func replaceHandler(with handler: any TransportHandler) {
    if case .open(_, let registration) = phase { phase = .open(handler, registration) }
  }

  private func begin(_ handler: any TransportHandler) {
    guard case .idle = phase else {
      precondition(gate.isClosing, "A transport is started once.")
      return handler.transportClosed(nil)
    }
    phase = .open(handler, loop.register(self))
    writeState.withLock { writeState in
      if case .unopened = writeState { writeState = .open }
    }
    guard !gate.isClosing else { return }
    handler.transportOpened()
    deliver()
  }

  // MARK: Writing

  package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !bytes.isEmpty, isWritable else { return 0 }
    let peer = peer.withLock { $0 }
    switch peer?.inbox.withLock({ $0.append(bytes) }) {
    case .accepted(let count, let mustDeliver):
      if mustDeliver { peer?.scheduleDelivery() }
      return count
    case .refused, nil:
      // TCP resets a connection when bytes arrive for an end that has closed.
      loop.execute { self.writingFailed() }
      return 0
    }
  }

  private func writingFailed() {
    guard case .open = phase, failure == nil, !gate.isClosing else { return }
    writeState.withLock { $0 = .ended }
    failure = .reset
    if hasEnded { return finish(failure) }
    deliver()
  }

  private var isWritable: Bool {
    writeState.withLock { writeState in
      if case .open = writeState { true } else { false }
    }
  }

  private func becameWritable() {
    guard case .open(let handler, _) = phase, !gate.isClosing else { return }
    if isWritable { handler.transportWritable() }
  }

  package var peerAddress: NetworkAddress? { nil }

  package var acknowledgement: Acknowledgement? { acknowledged.withLock { $0 } }

  /// Sets the acknowledgement that a test needs.
  package func setAcknowledgement(_ acknowledgement: Acknowledgement?) {
    acknowledged.withLock { $0 = acknowledgement }
  }

  package func closeWriting() {
    let ends = writeState.withLock { writeState in
      guard case .open = writeState else { return false }
      writeState = .ended
      return true
    }
    guard ends else { return }
    peer.withLock { $0 }?.endInbox()
    loop.execute { self.closeIfBothEnded() }
  }

  private func endInbox() {
    inbox.withLock { $0.end() }
    scheduleDelivery()
  }

  // MARK: Reading

  package func setReading(_ isReading: Bool) {
    if gate.setReading(isReading) { scheduleDelivery() }
  }

  private func scheduleDelivery() {
    loop.execute { self.deliver() }
  }

  /// Delivers once; the next delivery follows in the next turn.
  private func deliver() {
    guard case .open(let handler, _) = phase, !hasEnded, !gate.isClosing
    else { return }
    guard gate.isReading else { return reportUnreadEnd(handler) }
    switch inbox.withLock({ $0.take(atMost: maximumDelivery) }) {
    case .nothing: break
    case .end:
      hasEnded = true
      if let failure { return finish(failure) }
      handler.transportEnded()
      closeIfBothEnded()
    case .bytes(let bytes, let writerWaits):
      scheduleDelivery()
      if writerWaits, let peer = peer.withLock({ $0 }) { loop.execute { peer.becameWritable() } }
      bytes.withUnsafeBytes { handler.transportReceived($0) }
    }
  }

  private func reportUnreadEnd(_ handler: any TransportHandler) {
    if let failure {
      guard !hasReportedFailure else { return }
      hasReportedFailure = true
      handler.transportFailed(failure)
    } else if !hasReportedEnd, inbox.withLock({ $0.hasEnded }) {
      hasReportedEnd = true
      handler.transportEndArrived()
    }
  }

  private func closeIfBothEnded() {
    let hasEndedWriting = writeState.withLock { writeState in
      if case .ended = writeState { true } else { false }
    }
    if hasEnded && hasEndedWriting { finish(nil) }
  }

  // MARK: Closing

  package func close() {
    guard gate.beginClosing() else { return }
    writeState.withLock { $0 = .closed }
    loop.execute { self.finish(nil) }
  }

  /// Breaks the connection: both ends close with `error`, and undelivered bytes are lost.
  package func fail(_ error: TransportError) {
    let peer = peer.withLock { $0 }
    loop.execute {
      self.finish(error)
      peer?.finish(error)
    }
  }

  /// Never called: this transport has no descriptor.
  package func ready(_ events: ReadyEvents) {}

  package func loopStopped() { finish(nil) }

  private func finish(_ error: TransportError?) {
    let last = phase
    if case .closed = last { return }
    phase = .closed
    gate.beginClosing()
    writeState.withLock { $0 = .closed }
    let peer = peer.withLock { peer in
      defer { peer = nil }
      return peer
    }
    let writerWaits = inbox.withLock { $0.close() }
    if let peer {
      peer.endInbox()
      if writerWaits { loop.execute { peer.becameWritable() } }
    }
    guard case .open(let handler, let registration) = last else { return }
    loop.deregister(registration)
    handler.transportClosed(error)
  }
}
