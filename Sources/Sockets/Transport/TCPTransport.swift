import Reactive
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP connection, made by this side or accepted by a listener.
///
/// Small writes leave at once (`TCP_NODELAY`). Between `start` and `transportClosed` the loop keeps
/// it alive.
package final class TCPTransport: Transport, EventHandler, @unchecked Sendable {
  private enum Origin {
    case client(TCPConnector)
    case accepted(Socket)
  }

  private enum Phase {
    case idle(Origin)
    case connecting(TCPConnector, EventLoop.Registration)
    case open(Socket, EventLoop.Registration)
    case closed
  }

  /// What is known about bytes to read.
  ///
  /// Edge-triggered: the loop tells of a change once, so what it told must be remembered until it
  /// is acted upon.
  private enum Inlet {
    case drained
    /// There may be bytes. `toTheEnd`: FIN or an error is behind them, and will not be told again.
    case filled(toTheEnd: Bool)
    case ended
  }

  private struct UnreadNotes: OptionSet {
    let rawValue: UInt8
    static let endArrived = UnreadNotes(rawValue: 1)
    static let failed = UnreadNotes(rawValue: 2)
  }

  /// The writing half, which any thread may use.
  private enum Outlet {
    case unopened
    case open(Socket, isFull: Bool)
    case ended
    // Apart from the transport, which is smaller for it while nothing is wrong.
    indirect case failed(TransportError)
    case closed
  }

  package let loop: EventLoop

  // Touched on the loop's thread only.
  private var phase: Phase
  private var inlet = Inlet.drained
  /// Whether a read may stop before the last byte that has arrived: at a byte that the peer has marked as urgent.
  private var mayStopEarly = false
  /// Whether reading goes on in its turn.
  @exclusivity(unchecked) private var isReadDue = false
  /// What of an end that is not read the handler was told.
  private var unreadNotes: UnreadNotes = []
  private var handler: (any TransportHandler)?

  // Held during `send`, so that the descriptor cannot be closed and reused meanwhile. Protects `outlet`
  // and nothing else: inside of the transport that takes no memory of its own.
  private let outletLock = Lock()
  @exclusivity(unchecked) private var outlet = Outlet.unopened

  private func withOutlet<Result>(_ body: (inout Outlet) -> Result) -> Result {
    outletLock.withLock { body(&outlet) }
  }

  private let isReading = Atomic(true)
  private let isClosing = Atomic(false)

  /// So that one busy connection does not starve the others: 1 MiB, then they have their turn.
  private static let readsPerTurn = 8

  /// The same in nanoseconds, for bytes that bring much work.
  private static let readingTime: UInt64 = 150_000

  /// A connection to be made by `start`, in the way of `connector`.
  init(_ connector: TCPConnector) {
    loop = connector.loop
    phase = .idle(.client(connector))
  }

  /// A connected, non-blocking socket, which is the transport's from now on.
  package init(accepted descriptor: Int32, loop: EventLoop = .shared) {
    self.loop = loop
    phase = .idle(.accepted(Socket(descriptor: descriptor)))
  }

  deinit {
    // Never started, or on a loop that had stopped.
    if case .idle(.accepted(let socket)) = phase { socket.close() }
  }

  package var peerAddress: NetworkAddress? {
    let address = withOutlet { outlet -> SocketAddress? in
      if case .open(let socket, _) = outlet { socket.remoteAddress } else { nil }
    }
    if let address { return NetworkAddress(address) }
    guard loop.isCurrent, case .idle(.accepted(let socket)) = phase else { return nil }
    return socket.remoteAddress.flatMap { NetworkAddress($0) }
  }

  // MARK: OpeningHandshake

  package func start(_ handler: any TransportHandler) {
    loop.execute { self.begin(handler) }
  }

  private func begin(_ handler: any TransportHandler) {
    guard case .idle(let origin) = phase else {
      precondition(isClosing.load(ordering: .relaxed), "A transport is started once.")
      return handler.transportClosed(nil)
    }
    self.handler = handler
    switch origin {
    case .accepted(let socket): open(socket)
    case .client(let connector):
      phase = .connecting(connector, loop.register(self))
      // It keeps the transport, as the loop does, until it has called this or is cancelled by `finish`.
      connector.start { result in self.connected(result) }
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
    phase = .idle(.accepted(socket))
    socket.disableNagle()
    do throws(TransportError) {
      let interest: Interest = [.readable, .writable, .edgeTriggered]
      phase = .open(socket, try loop.register(socket.descriptor, interest, self))
    } catch {
      return finish(error)
    }
    withOutlet { outlet in
      if case .unopened = outlet { outlet = .open(socket, isFull: false) }
    }
    if !isClosing.load(ordering: .acquiring) { handler?.transportOpened() }
  }

  // MARK: Closing

  package func close() {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // From here on nothing more is written, and no handler call begins but the last.
    withOutlet { $0 = .closed }
    loop.execute { self.finish(nil) }
  }

  package func loopStopped() { finish(nil) }

  /// Releases everything and says so; the second time, nothing.
  private func finish(_ error: TransportError?) {
    let last = phase
    phase = .closed
    isClosing.store(true, ordering: .releasing)
    // Whoever is in `send` has left when the lock is ours, and nobody enters it again.
    withOutlet { $0 = .closed }
    switch last {
    case .closed: return
    case .idle(.client): break
    case .idle(.accepted(let socket)): socket.close()
    case .connecting(let connector, let registration):
      connector.cancel()
      loop.deregister(registration)
    case .open(let socket, let registration):
      loop.deregister(registration)
      socket.close()
    }
    let handler = handler
    self.handler = nil
    handler?.transportClosed(error)
  }

  // MARK: Reading

  package func ready(_ events: ReadyEvents) {
    if events.contains(.urgent) { mayStopEarly = true }
    if !events.isDisjoint(with: [.readable, .peerEnded, .failed]) {
      noteReadable(toTheEnd: !events.isDisjoint(with: [.peerEnded, .failed]))
      receive()
    }
    // Before anything is written, which would take the error.
    if events.contains(.failed) { noteFailure() }
    if events.contains(.writable) { noteRoom() }
    noteUnreadEnd()
  }

  private func noteReadable(toTheEnd: Bool) {
    switch inlet {
    case .drained, .filled(toTheEnd: false): inlet = .filled(toTheEnd: toTheEnd)
    case .filled(toTheEnd: true), .ended: break
    }
  }

  package func setReading(_ isReading: Bool) {
    let was = self.isReading.exchange(isReading, ordering: .acquiringAndReleasing)
    if isReading && !was { loop.execute { self.read() } }
  }

  private func read() {
    receive()
    noteUnreadEnd()
  }

  private func receive() {
    // The rest of an earlier turn comes when its turn has come.
    guard case .open(let socket, _) = phase, !isReadDue else { return }
    var reads = 0
    var start: UInt64?
    while case .filled(let toTheEnd) = inlet, mayDeliver {
      guard reads < Self.readsPerTurn, !isTimeUp(since: &start, reads) else { return readLater() }
      reads += 1
      switch socket.receive(into: loop.scratch) {
      case .bytes(0):
        return inletEnded()
      case .bytes(let count):
        // Less than was asked for is all there is; asking again would only cost a system call.
        if count < loop.scratch.count && !toTheEnd && !mayStopEarly { inlet = .drained }
        handler?.transportReceived(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
      case .wouldBlock:
        if let writeError { return finish(writeError) }
        inlet = .drained
        mayStopEarly = false
      case .failed(let code):
        return finish(writeError ?? TransportError(errno: code, operation: "read"))
      }
    }
  }

  /// Whether one connection has read long enough; the time runs from its second read on.
  private func isTimeUp(since start: inout UInt64?, _ reads: Int) -> Bool {
    guard reads > 0 else { return false }
    let now = MonotonicClock.now
    guard let begun = start else {
      start = now
      return false
    }
    return now - begun >= Self.readingTime
  }

  private func readLater() {
    isReadDue = true
    loop.executeFairly {
      self.isReadDue = false
      self.read()
    }
  }

  /// Reading has stopped before the peer's end, which is there.
  private func noteUnreadEnd() {
    guard case .open = phase, case .filled(toTheEnd: true) = inlet, !mayDeliver else { return }
    if let writeError {
      noteUnread(.failed) { $0.transportFailed(writeError) }
    } else {
      noteUnread(.endArrived) { $0.transportEndArrived() }
    }
  }

  private func noteUnread(_ note: UnreadNotes, _ notify: (any TransportHandler) -> Void) {
    guard !isClosing.load(ordering: .acquiring), let handler,
      unreadNotes.insert(note).inserted
    else { return }
    notify(handler)
  }

  private var mayDeliver: Bool {
    isReading.load(ordering: .acquiring) && !isClosing.load(ordering: .acquiring)
  }

  private func inletEnded() {
    inlet = .ended
    // A connection that failed in `write` reads as ended: the error was told once, over there.
    if let writeError { return finish(writeError) }
    handler?.transportEnded()
    closeIfBothEnded()
  }

  /// A reset that no read has reported: reading is paused, or has ended with the peer's FIN.
  private func noteFailure() {
    guard case .open(let socket, _) = phase else { return }
    // Our own FIN after the peer's looks the same, without an error.
    let code = socket.takeError()
    if code != 0 {
      // The system's word for a reset behind the peer's FIN: all that the peer sent has arrived.
      if code == EPIPE, case .filled = inlet, !mayDeliver {
        noteUnread(.endArrived) { $0.transportEndArrived() }
      }
      outletFailed(TransportError(errno: code, operation: "connection"))
    } else if case .ended = inlet {
      closeIfBothEnded()
    }
  }

  /// From now on nothing is written; the first error is the one that is told.
  private func outletFailed(_ error: TransportError) {
    withOutlet { outlet in
      switch outlet {
      case .open, .ended, .unopened: outlet = .failed(error)
      case .failed, .closed: break
      }
    }
    writingFailed()
  }

  // MARK: Writing

  package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !bytes.isEmpty else { return 0 }
    let (taken, hasFailed) = withOutlet { outlet -> (Int, Bool) in
      guard case .open(let socket, _) = outlet else { return (0, false) }
      switch socket.send(bytes) {
      case .bytes(let count):
        if count < bytes.count { outlet = .open(socket, isFull: true) }
        return (count, false)
      case .wouldBlock:
        outlet = .open(socket, isFull: true)
        return (0, false)
      case .failed(let code):
        outlet = .failed(TransportError(errno: code, operation: "write"))
        return (0, true)
      }
    }
    if hasFailed { loop.execute { self.writingFailed() } }
    return taken
  }

  private func noteRoom() {
    let isAwaited = withOutlet { outlet in
      guard case .open(let socket, isFull: true) = outlet else { return false }
      outlet = .open(socket, isFull: false)
      return true
    }
    if isAwaited { handler?.transportWritable() }
  }

  /// What had arrived before the failure is still delivered, as the handler decides; then it is told.
  private func writingFailed() {
    guard let writeError else { return }
    if case .ended = inlet { return finish(writeError) }
    noteReadable(toTheEnd: true)
    read()
  }

  private var writeError: TransportError? {
    withOutlet { outlet in
      if case .failed(let error) = outlet { error } else { nil }
    }
  }

  package var acknowledgement: Acknowledgement? {
    withOutlet { outlet in
      if case .open(let socket, _) = outlet { socket.acknowledgement } else { nil }
    }
  }

  package func closeWriting() {
    let hasEnded = withOutlet { outlet in
      guard case .open(let socket, _) = outlet else { return false }
      socket.endSending()
      outlet = .ended
      return true
    }
    if hasEnded { loop.execute { self.closeIfBothEnded() } }
  }

  private func closeIfBothEnded() {
    let outletEnded = withOutlet { outlet in
      if case .ended = outlet { true } else { false }
    }
    if case .ended = inlet, outletEnded { finish(nil) }
  }
}
