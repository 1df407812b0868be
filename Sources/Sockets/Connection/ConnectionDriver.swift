/// Moves bytes between a transport and a session, and delivers the session's events to the streams.
///
/// Any thread may send or close: it changes the session under the driver's lock.
/// Events are delivered on the loop's thread, outside of the lock.
final class ConnectionDriver: TransportHandler, @unchecked Sendable {
  /// Creates a transport that is not started yet, and the handshake to perform on it.
  typealias Dial = @Sendable () throws(WebSocketError) -> (any Transport, OpeningHandshake)

  let loop: EventLoop
  let options: SharedOptions
  let streams: SocketStreams

  /// The connection's transport, or how to create it.
  private enum Way {
    case undialed(Dial)
    case dialed(any Transport)
    case none
  }

  // `lock` protects these. The compiler's checks of exclusive access would repeat for each message
  // what the lock guarantees.
  let lock = Lock()
  @exclusivity(unchecked) var session: Session
  @exclusivity(unchecked) var tasks: PendingOperations?
  @exclusivity(unchecked) var writeScheduler = WriteScheduler()
  @exclusivity(unchecked) private var way: Way
  /// The timer of the current wait.
  var timer: LoopClock.Wait?
  /// The watches over operations that must make progress.
  @exclusivity(unchecked) var watches = Boxed<StallWatches>()

  /// Receives each state after the observers; set before `connect()`.
  var registry: ConnectionRegistry?

  // Used on the loop's thread only, in an order that leaves no padding.
  /// Bytes that were read and not processed yet.
  @exclusivity(unchecked) var held = Boxed<HeldBytes>()
  let receiveCharge = ReceiveCharge()
  var keepalive = Keepalive()
  @exclusivity(unchecked) var isFlushDue = false
  @exclusivity(unchecked) private(set) var isReading = true
  /// Whether the end of the peer's bytes has arrived behind bytes that are not read yet.
  @exclusivity(unchecked) private(set) var hasUnreadEnd = false
  @exclusivity(unchecked) var isClosing = false
  @exclusivity(unchecked) private var isShuttingDown = false
  /// Whether a fair turn to process the held bytes is scheduled.
  @exclusivity(unchecked) var isTurnScheduled = false
  /// Whether the transport closed before the held bytes were processed.
  @exclusivity(unchecked) private var isTransportClosed = false

  init(
    _ role: Connection.Role,
    _ options: SharedOptions,
    _ streams: SocketStreams,
    on loop: EventLoop,
    dial: @escaping Dial
  ) {
    session = Session(role, options)
    self.options = options
    self.streams = streams
    self.loop = loop
    way = .undialed(dial)
  }

  var clock: LoopClock { LoopClock(loop: loop, scheduler: options.scheduler) }

  /// The caller holds the lock.
  var transport: (any Transport)? {
    if case .dialed(let transport) = way { transport } else { nil }
  }

  /// The current state; it changes before it is emitted.
  var state: WebSocketState { lock.withLock { session.state } }

  /// The result of the handshake.
  var agreement: Agreement? { lock.withLock { session.agreement } }

  /// How the WebSocket ends; nil before that is known.
  var outcome: CloseOutcome? { lock.withLock { session.outcome } }

  /// Whether there is room to send more.
  var isWritable: Bool { lock.withLock { session.isWritable } }

  /// The counts of frames, messages and bytes, with the last round trip.
  var metrics: WebSocketMetrics {
    lock.withLock {
      var metrics = session.metrics
      metrics.roundTripTime = tasks?.pings.lastRoundTrip
      return metrics
    }
  }

  // MARK: From any thread

  /// Connects, the first time it is called.
  func connect() {
    // The first caller takes the closure, and calls it unlocked.
    guard let dial = lock.withLock({ takeDial() }) else { return }
    let dialed = Result { () throws(WebSocketError) in try dial() }
    let isWanted = lock.withLock {
      guard session.state == .idle else { return false }
      switch dialed {
      case .success((let transport, let opening)):
        way = .dialed(transport)
        session.begin(opening)
      case .failure(let error): session.fail(error)
      }
      return true
    }
    guard isWanted else { return }
    loop.execute { self.deliver() }
    guard case .success((let transport, _)) = dialed else { return }
    begin(.handshake)
    transport.start(self)
  }

  /// The caller holds the lock.
  private func takeDial() -> Dial? {
    guard session.state == .idle, case .undialed(let dial) = way else { return nil }
    way = .none
    return dial
  }

  /// Lets `body` append to the connection's output, and schedules its flush.
  @inline(__always)
  func send(_ body: (inout Connection) throws(SendError) -> Void) throws(WebSocketError) {
    let flushTime = try lock.withLock { () throws(WebSocketError) in
      try session.send(body)
      return scheduleFlush()
    }
    perform(flushTime)
  }

  /// Closes from this side; the state has changed when this returns.
  func close(_ code: CloseCode, reason: String) {
    let (before, wasBroken, transport) = lock.withLock {
      let before = session.state
      let wasBroken = session.isBroken
      session.close(code, reason: reason)
      return (before, wasBroken, self.transport)
    }
    flush()
    switch before {
    case .idle: break
    case .connecting: transport?.close()
    case .connected: begin(.close)
    case .disconnecting where wasBroken: break
    case .disconnecting, .disconnected: return
    }
    loop.execute {
      self.deliver()
      self.flushAndBalance()
    }
  }

  /// Closes as `close` does, but answers a pending request of a server's client first.
  func closeServed(_ code: CloseCode, reason: String) {
    guard lock.withLock({ session.closeAfterAnswer() }) else { return close(code, reason: reason) }
    loop.execute {
      self.deliver()
      self.flushAndBalance()
    }
  }

  /// Drops the connection without a close frame; the state has changed when this returns.
  func drop() {
    let transport = lock.withLock {
      session.drop()
      return self.transport
    }
    transport?.close()
    streams.noteDrop()
    loop.execute {
      self.held.value = nil
      self.streams.dropBacklog()
      self.deliver()
      self.finishIfTransportClosed()
    }
  }

  /// Delivers the backlog and resumes reading, for a first observer or a consumer with room again.
  func resume() {
    loop.execute {
      self.streams.catchUp()
      self.balance()
    }
  }

  // MARK: On the loop

  func transportOpened() {
    if registry != nil, let certificate = lock.withLock({ transport })?.clientCertificate {
      lock.withLock { session.note(certificate) }
    }
    flush()
  }

  func transportWritable() {
    lock.withLock { writeScheduler.requestLoopFlush() }
    flushAndBalance()
  }

  func transportEnded() {
    lock.withLock { session.inputEnded() }
    deliver()
    flushAndBalance()
  }

  func transportEndArrived() {
    hasUnreadEnd = true
    if !isReading { watch(.unreadEnd) }
  }

  func transportFailed(_ error: TransportError) {
    drop { $0.connectionBroke(error) }
    balance()
  }

  func transportClosed(_ error: TransportError?) {
    if let route = lock.withLock({ session.redirect }), follow(route) { return }
    // A server's unprocessed request is dropped: its answer would have no receiver.
    if let error, !held.isNone, !isTransportClosed, !lock.withLock({ session.isOpeningServer }) {
      // The bytes that were read are delivered before the error.
      isTransportClosed = true
      return transportFailed(error)
    }
    finish(error)
  }

  /// Finishes, without the held bytes, when the transport has closed and reports no other end.
  func finishIfTransportClosed() {
    if isTransportClosed { finish(nil) }
  }

  /// Ends the session after the transport has closed and held bytes are delivered or dropped.
  private func finish(_ error: TransportError?) {
    isTransportClosed = false
    held.value = nil
    endCharge()
    let (over, watches) = lock.withLock {
      session.transportClosed(error)
      return (self.timer.take(), self.watches.take())
    }
    over?.dispose()
    watches?.dispose()
    deliver()
  }

  /// Dials the target of a redirect, within the rest of the handshake's time.
  ///
  /// Returns false when dialing fails or the WebSocket was closed meanwhile.
  private func follow(_ route: Dialer) -> Bool {
    isReading = true
    isShuttingDown = false
    hasUnreadEnd = false
    held.value = nil
    do throws(WebSocketError) {
      let (transport, opening) = try route.dial()
      let isWanted = lock.withLock {
        guard session.resume(opening) else { return false }
        way = .dialed(transport)
        return true
      }
      if isWanted { transport.start(self) }
      return isWanted
    } catch {
      lock.withLock { session.failRedirect(error) }
      return false
    }
  }

  func log(_ level: WebSocketLog.Level, _ line: @autoclosure () -> String) {
    options.log.write(level, "\(name): \(line())")
  }

  /// The connection's name in the log: the client for a server, otherwise the name in the options.
  private var name: String {
    lock.withLock { session.remoteClient }.map { "\($0)" } ?? options.name
  }

  /// Delivers pending events, and drops the connection if `isOver` returns true for the session.
  func drop(if isOver: (inout Session) -> Bool) {
    let dropped = lock.withLock { isOver(&session) ? transport : nil }
    deliver()
    dropped?.close()
    if dropped != nil { finishIfTransportClosed() }
  }

  /// Whether the consumers that count have no room for more; on the loop.
  var isFull: Bool { streams.isFull && lock.withLock { session.countsConsumers } }

  /// Pauses or resumes reading, and closes the transport when the session has ended.
  func balance() {
    let (session, transport) = lock.withLock {
      let balance = self.session.balance(whileReading: isReading)
      writeScheduler.noteMeasured(isFull: !balance.mayRead)
      return (balance, self.transport)
    }
    charge(unfinished: session.unfinishedBytes)
    // A closing WebSocket reads on, since the peer's close frame follows messages without a
    // consumer. Bytes that arrived on a broken connection are delivered while there is room.
    if isTransportClosed, held.isNone { return finish(nil) }
    let isFull = session.countsConsumers && streams.isFull
    if session.isBroken, isFull, !(hasUnreadEnd && streams.hasFullWindow) {
      return drop { $0.abandonBroken() }
    }
    // Held bytes are processed before new ones are read.
    let mayGoOn = session.mayRead && !isFull
    if mayGoOn, !held.isNone { scheduleTurn() }
    let wantsToRead = mayGoOn && held.isNone
    if wantsToRead != isReading {
      isReading = wantsToRead
      // Bytes that the peer sent during the pause are not read yet, so its silence counts from now.
      if wantsToRead { keepalive.noteSignOfLife() }
      transport?.setReading(wantsToRead)
    }
    if hasUnreadEnd, !isReading { watch(.unreadEnd) }
    guard let shutdown = session.shutdown, !isShuttingDown else { return }
    isShuttingDown = true
    switch shutdown {
    case .graceful: begin(.close)
    case .gracefulOnceSent: begin(.answerTaken(.close))
    case .abort: transport?.close()
    }
  }
}
