/// A TCP connection, made by this side or accepted by a listener.
///
/// Small writes leave at once (`TCP_NODELAY`). The loop retains the transport between `start` and
/// `transportClosed`.
package final class TCPTransport: Transport, EventHandler, @unchecked Sendable {
  private enum Phase {
    case unconnected(TCPConnector)
    /// A connected socket that no loop watches.
    case connected(Socket)
    case connecting(TCPConnector, EventLoop.Registration)
    case open(Socket, EventLoop.Registration)
    case closed
  }

  /// Whether the socket may have bytes to read.
  ///
  /// The poller is edge-triggered: it reports a change once. The transport remembers the report
  /// until it has read.
  private enum ReadState {
    case drained
    /// There may be bytes. `isLast`: FIN or an error follows them and is not reported again.
    case readable(isLast: Bool)
    case ended
  }

  /// The writing half, which any thread may use.
  private enum WriteState {
    case unopened
    case open(Socket, isFull: Bool)
    case ended
    // Stored apart from the transport, which needs less memory while no error has occurred.
    indirect case failed(TransportError)
    case closed
  }

  package let loop: EventLoop

  // Touched on the loop's thread only.
  private var phase: Phase
  private var readState = ReadState.drained
  /// Whether a read may stop early, at a byte that the peer has marked as urgent.
  private var mayStopEarly = false
  /// Whether a fair job that continues reading is scheduled.
  @exclusivity(unchecked) private var isReadDue = false
  /// Whether the handler has received `transportEndArrived`, which is called once.
  private var hasReportedEnd = false
  /// Whether the handler has received `transportFailed`, which is called once.
  private var hasReportedFailure = false
  private var handler: (any TransportHandler)?

  // Held during `send`: `finish` cannot close the descriptor, and the system cannot reuse its
  // number, meanwhile. Protects `writeState` only. A bare lock in the transport allocates nothing.
  private let writeLock = Lock()
  @exclusivity(unchecked) private var writeState = WriteState.unopened

  private func withWriteState<Result>(_ body: (inout WriteState) -> Result) -> Result {
    writeLock.withLock { body(&writeState) }
  }

  private let gate = DeliveryGate()

  /// How many reads of 128 KiB one turn makes: 1 MiB, so that a busy connection starves no other.
  private static let readsPerTurn = 8

  /// Makes a transport that `start` connects to the first address of `host` that answers.
  ///
  /// The host is a name or a literal address. There is no deadline; `close` ends the attempts.
  ///
  /// - Parameter scheduler: clock of the race between addresses; the loop's by default
  package convenience init(
    host: String, port: UInt16, loop: EventLoop = .shared, scheduler: (any SchedulerType)? = nil
  ) {
    let clock = LoopClock(loop: loop, scheduler: scheduler)
    self.init(TCPConnector(host: host, port: port, clock: clock))
  }

  /// A connection that `start` makes through `connector`.
  init(_ connector: TCPConnector) {
    loop = connector.loop
    phase = .unconnected(connector)
  }

  /// A connected, non-blocking socket, which the transport owns from now on.
  package init(accepted descriptor: Int32, loop: EventLoop = .shared) {
    self.loop = loop
    phase = .connected(Socket(descriptor: descriptor))
  }

  deinit {
    // The transport was never started, or its loop had stopped.
    if case .connected(let socket) = phase { socket.close() }
  }

  package var peerAddress: NetworkAddress? {
    let address = withWriteState { writeState -> SocketAddress? in
      if case .open(let socket, _) = writeState { socket.remoteAddress } else { nil }
    }
    if let address { return address.networkAddress }
    guard loop.isCurrent, case .connected(let socket) = phase else { return nil }
    return socket.remoteAddress?.networkAddress
  }

  // MARK: Opening

  package func start(_ handler: any TransportHandler) {
    loop.execute { self.begin(handler) }
  }

  package func replaceHandler(with handler: any TransportHandler) {
    if self.handler != nil { self.handler = handler }
  }

  private func begin(_ handler: any TransportHandler) {
    switch phase {
    case .connected(let socket):
      self.handler = handler
      open(socket)
    case .unconnected(let connector):
      self.handler = handler
      phase = .connecting(connector, loop.register(self))
      // The connector's closure retains the transport, as the loop does, until the connector calls
      // the closure or `finish` cancels the connector.
      connector.start { result in self.connected(result) }
    case .connecting, .open, .closed:
      precondition(gate.isClosing, "A transport is started once.")
      handler.transportClosed(nil)
    }
  }

  private func connected(_ result: Result<Socket, TransportError>) {
    switch result {
    case .success(let socket): open(socket)
    case .failure(let error): finish(error)
    }
  }

  private func open(_ socket: Socket) {
    if case .connecting(_, let registration) = phase { loop.deregister(registration) }
    phase = .connected(socket)
    socket.disableNagle()
    do throws(TransportError) {
      let interest: Interest = [.readable, .writable, .edgeTriggered]
      phase = .open(socket, try loop.register(socket.descriptor, interest, self))
    } catch {
      return finish(error)
    }
    withWriteState { writeState in
      if case .unopened = writeState { writeState = .open(socket, isFull: false) }
    }
    if !gate.isClosing { handler?.transportOpened() }
  }

  // MARK: Closing

  package func close() {
    guard gate.beginClosing() else { return }
    // From here on nothing is written, and the only handler call that begins is `transportClosed`.
    withWriteState { $0 = .closed }
    loop.execute { self.finish(nil) }
  }

  package func loopStopped() { finish(nil) }

  /// Releases everything and calls `transportClosed`; has no effect the second time.
  private func finish(_ error: TransportError?) {
    let last = phase
    phase = .closed
    gate.beginClosing()
    // A thread inside `send` has returned when this thread has the lock; no thread enters again.
    withWriteState { $0 = .closed }
    switch last {
    case .closed: return
    case .unconnected: break
    case .connected(let socket): socket.close()
    case .connecting(let connector, let registration):
      connector.cancel()
      loop.deregister(registration)
    case .open(let socket, let registration):
      loop.deregister(registration)
      socket.close()
    }
    handler.take()?.transportClosed(error)
  }

  // MARK: Reading

  package func ready(_ events: ReadyEvents) {
    if events.contains(.urgent) { mayStopEarly = true }
    if !events.isDisjoint(with: [.readable, .peerEnded, .failed]) {
      becameReadable(isLast: !events.isDisjoint(with: [.peerEnded, .failed]))
      receive()
    }
    // Before any write: a write would take the error from the socket.
    if events.contains(.failed) { handleFailure() }
    if events.contains(.writable) { becameWritable() }
    reportUnreadEnd()
  }

  private func becameReadable(isLast: Bool) {
    switch readState {
    case .drained, .readable(isLast: false): readState = .readable(isLast: isLast)
    case .readable(isLast: true), .ended: break
    }
  }

  package func setReading(_ isReading: Bool) {
    if gate.setReading(isReading) { loop.execute { self.read() } }
  }

  private func read() {
    receive()
    reportUnreadEnd()
  }

  private func receive() {
    // A scheduled fair job reads the rest: this connection has used its share.
    guard case .open(let socket, _) = phase, !isReadDue else { return }
    var reads = 0
    // The bound for bytes that cause much work.
    var slice = WorkSlice()
    while case .readable(let isLast) = readState, gate.isOpen {
      if reads == Self.readsPerTurn
        || reads > 0 && slice.isSpent(afterLongUnit: true, now: { loop.now })
      {
        return readLater()
      }
      reads += 1
      switch socket.read(into: loop.scratch) {
      case .bytes(0):
        return readingEnded()
      case .bytes(let count):
        // A short read has emptied the socket; another read would only cost a system call.
        if count < loop.scratch.count && !isLast && !mayStopEarly { readState = .drained }
        handler?.transportReceived(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
      case .wouldBlock:
        if let writeError { return finish(writeError) }
        readState = .drained
        mayStopEarly = false
      case .failed(let code):
        return finish(writeError ?? TransportError(errno: code, operation: "read"))
      }
    }
  }

  private func readLater() {
    isReadDue = true
    loop.executeFairly {
      self.isReadDue = false
      self.read()
    }
  }

  /// Reports the peer's end when it has arrived but paused reading hides it.
  private func reportUnreadEnd() {
    guard case .open = phase, case .readable(isLast: true) = readState, !gate.isOpen else { return }
    guard let writeError else { return reportEndArrived() }
    guard !gate.isClosing, !hasReportedFailure else { return }
    hasReportedFailure = true
    handler?.transportFailed(writeError)
  }

  private func reportEndArrived() {
    guard !gate.isClosing, !hasReportedEnd else { return }
    hasReportedEnd = true
    handler?.transportEndArrived()
  }

  private func readingEnded() {
    readState = .ended
    // After a failed write the socket reads as ended; `write` has taken the error already.
    if let writeError { return finish(writeError) }
    handler?.transportEnded()
    closeIfBothEnded()
  }

  /// Handles a reset that no read reported: reading is paused, or ended with the peer's FIN.
  private func handleFailure() {
    guard case .open(let socket, _) = phase else { return }
    // After FIN in both directions the poller reports the same event, without an error.
    let code = socket.takeError()
    if code != 0 {
      // All that the peer sent has arrived.
      if code == Socket.resetBehindEnd, case .readable = readState, !gate.isOpen {
        reportEndArrived()
      }
      failWriting(TransportError(errno: code, operation: "connection"))
    } else if case .ended = readState {
      closeIfBothEnded()
    }
  }

  /// Stops writing; the first error is the one that is reported.
  private func failWriting(_ error: TransportError) {
    withWriteState { writeState in
      switch writeState {
      case .open, .ended, .unopened: writeState = .failed(error)
      case .failed, .closed: break
      }
    }
    writingFailed()
  }

  // MARK: Writing

  package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    write(bytes, .init(start: nil, count: 0))
  }

  package func write(_ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) -> Int {
    let total = bytes.count + more.count
    guard total > 0 else { return 0 }
    let (count, hasFailed) = withWriteState { writeState -> (Int, Bool) in
      guard case .open(let socket, _) = writeState else { return (0, false) }
      switch more.isEmpty ? socket.write(bytes) : socket.write(bytes, more) {
      case .bytes(let count):
        if count < total { writeState = .open(socket, isFull: true) }
        return (count, false)
      case .wouldBlock:
        writeState = .open(socket, isFull: true)
        return (0, false)
      case .failed(let code):
        writeState = .failed(TransportError(errno: code, operation: "write"))
        return (0, true)
      }
    }
    if hasFailed { loop.execute { self.writingFailed() } }
    return count
  }

  private func becameWritable() {
    let wasFull = withWriteState { writeState in
      guard case .open(let socket, isFull: true) = writeState else { return false }
      writeState = .open(socket, isFull: false)
      return true
    }
    if wasFull { handler?.transportWritable() }
  }

  /// Delivers what arrived before the failure, unless the handler has paused reading; then fails.
  private func writingFailed() {
    guard let writeError else { return }
    if case .ended = readState { return finish(writeError) }
    becameReadable(isLast: true)
    read()
  }

  private var writeError: TransportError? {
    withWriteState { writeState in
      if case .failed(let error) = writeState { error } else { nil }
    }
  }

  package var acknowledgement: Acknowledgement? {
    withWriteState { writeState in
      if case .open(let socket, _) = writeState { socket.acknowledgement } else { nil }
    }
  }

  package func closeWriting() {
    let hasEnded = withWriteState { writeState in
      guard case .open(let socket, _) = writeState else { return false }
      socket.endSending()
      writeState = .ended
      return true
    }
    if hasEnded { loop.execute { self.closeIfBothEnded() } }
  }

  private func closeIfBothEnded() {
    let hasEndedWriting = withWriteState { writeState in
      if case .ended = writeState { true } else { false }
    }
    if case .ended = readState, hasEndedWriting { finish(nil) }
  }
}
