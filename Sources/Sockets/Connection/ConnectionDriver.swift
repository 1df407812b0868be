/// Moves bytes between a transport and a session, and delivers the session's events to the streams.
///
/// Any thread may send or close: it changes the session under the driver's lock.
/// Events are delivered on the loop's thread, outside of the lock.
final class ConnectionDriver: TransportHandler, TurnEndHandler, @unchecked Sendable {
  /// Creates a transport that is not started yet, and the handshake to perform on it.
  typealias Dial = @Sendable () throws(WebSocketError) -> (any Transport, OpeningHandshake)

  let loop: EventLoop
  let streams: SocketStreams

  /// The connection's transport, or how to create it.
  private enum Way {
    // Indirect, which keeps the driver small: most are dialed at once.
    indirect case undialed(Dial)
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
  @exclusivity(unchecked) var watches: [Progress: StallWatch] = [:]

  /// Receives each state after the observers; set before `connect()`.
  var registry: ConnectionRegistry? {
    didSet { hasMessageRate = registry?.limiter?.messageRate != nil }
  }

  // Used on the loop's thread only, in an order that leaves no padding.
  /// Bytes that were read and not processed: the time slice ended, or the consumers were full.
  @exclusivity(unchecked) var held = Boxed<ArraySlice<UInt8>>()
  let receiveCharge = ReceiveCharge()
  @exclusivity(unchecked) var keepalive = Keepalive()
  /// Whether the server limits the messages of a client.
  @exclusivity(unchecked) private(set) var hasMessageRate = false
  @exclusivity(unchecked) var isFlushDue = false
  /// The bytes received since the last end of turn.
  @exclusivity(unchecked) var bytesInTurn: UInt32 = 0
  /// Whether that flush is the first one after the handshake.
  @exclusivity(unchecked) var isFirstFlushDue = false
  @exclusivity(unchecked) private(set) var isReading = true
  /// Whether the end of the peer's bytes has arrived behind bytes that are not read yet.
  @exclusivity(unchecked) private(set) var hasUnreadEnd = false
  @exclusivity(unchecked) var isClosing = false
  /// How the transport is ending, nil while it is not; protected by the lock.
  @exclusivity(unchecked) private var begunShutdown: Session.Shutdown?
  /// Whether a fair turn to process the held bytes is scheduled.
  @exclusivity(unchecked) var isTurnScheduled = false
  /// Whether the transport closed before the held bytes were processed.
  @exclusivity(unchecked) private var isTransportClosed = false

  init(
    _ role: MessageCodec.Role,
    _ options: SharedOptions,
    _ streams: SocketStreams,
    on loop: EventLoop,
    dial: @escaping Dial
  ) {
    session = Session(role, options)
    self.streams = streams
    self.loop = loop
    way = .undialed(dial)
  }

  var options: SharedOptions { session.options }

  var clock: LoopClock { LoopClock(loop: loop, scheduler: options.scheduler) }

  /// The caller holds the lock.
  var transport: (any Transport)? {
    if case .dialed(let transport) = way { transport } else { nil }
  }

  /// Puts another transport in the place of the one that is started; the caller holds the lock.
  func replaceTransport(with transport: any Transport) { way = .dialed(transport) }

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
    let transport = makeTransport(dial)
    loop.execute { self.deliver() }
    guard let transport else { return }
    begin(.handshake)
    transport.start(self)
  }

  /// Creates a transport and begins the handshake on it; the caller starts the transport.
  ///
  /// Returns nil when dialing fails or the WebSocket was closed meanwhile.
  private func makeTransport(_ dial: Dial) -> (any Transport)? {
    do throws(WebSocketError) {
      let (transport, opening) = try dial()
      return lock.withLock {
        guard session.begin(opening) else { return nil }
        way = .dialed(transport)
        return transport
      }
    } catch {
      lock.withLock { session.dialFailed(error) }
      return nil
    }
  }

  /// The caller holds the lock.
  private func takeDial() -> Dial? {
    guard session.state == .idle, case .undialed(let dial) = way else { return nil }
    way = .none
    return dial
  }

  /// Sends a message, and schedules a flush of the output.
  ///
  /// The usual case, apart from the general one: the compiler does not inline a generic closure.
  @inline(__always)
  func send(_ message: WebSocketMessage) throws(WebSocketError) {
    let flushTime = try lock.withLock { () throws(WebSocketError) in
      try session.send(message)
      return chooseFlushTime()
    }
    // Before it is written: the answer comes later.
    if SocketTaps.areObserved { tap(.sent(message)) }
    if flushTime != .none { perform(flushTime) }
  }

  /// Lets `body` send, and schedules a flush of the output.
  ///
  /// - Parameter sentMessage: the whole message that was sent; nil for something else, or nothing.
  func send<Result>(
    _ body: (inout Session) throws(WebSocketError) -> Result,
    sentMessage: (Result) -> WebSocketMessage? = { _ in nil }
  ) throws(WebSocketError) -> Result {
    let (result, flushTime) = try lock.withLock { () throws(WebSocketError) in
      (try body(&session), chooseFlushTime())
    }
    if SocketTaps.areObserved, let message = sentMessage(result) { tap(.sent(message)) }
    perform(flushTime)
    return result
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
    loop.execute { self.deliverAndFlush() }
  }

  /// Closes as `close` does, but answers a pending request of a server's client first.
  func closeAfterAnswer(_ code: CloseCode, reason: String) {
    guard lock.withLock({ session.closeAfterAnswer() }) else { return close(code, reason: reason) }
    loop.execute { self.deliverAndFlush() }
  }

  /// Drops the connection without a close frame; the state has changed when this returns.
  func drop() {
    let transport = lock.withLock {
      session.drop()
      begunShutdown = .abort
      return self.transport
    }
    transport?.close()
    streams.noteDrop()
    loop.execute {
      self.held.value = nil
      self.streams.dropBacklog()
      self.deliver()
      self.updateReading()
    }
  }

  /// Delivers the backlog and resumes reading, for a first observer or a consumer with room again.
  func resume() {
    loop.execute {
      self.streams.catchUp()
      self.updateReading()
    }
  }

  // MARK: On the loop

  func transportOpened() {
    if registry != nil, let certificate = lock.withLock({ transport })?.clientCertificate {
      lock.withLock { session.store(certificate) }
    }
    flush()
  }

  func transportWritable() {
    lock.withLock { writeScheduler.requestLoopFlush() }
    flushAndUpdateReading()
  }

  func transportEnded() {
    lock.withLock { session.inputEnded() }
    deliverAndFlush()
  }

  func transportEndArrived() {
    hasUnreadEnd = true
    if !isReading { watch(.unreadEnd) }
  }

  func transportFailed(_ error: TransportError) {
    end { $0.transportFailed(error) }
  }

  func transportClosed(_ error: TransportError?) {
    if let dialer = lock.withLock({ session.redirect }), redirect(to: dialer) { return }
    // A server's unprocessed request is dropped: its answer would have no receiver.
    if let error, !held.isNone, !isTransportClosed, !lock.withLock({ session.isOpeningServer }) {
      // The bytes that were read are delivered before the error.
      isTransportClosed = true
      return transportFailed(error)
    }
    finish(error)
  }

  /// Ends the session after the transport has closed and held bytes are delivered or dropped.
  private func finish(_ error: TransportError?) {
    isTransportClosed = false
    held.value = nil
    endCharge()
    let (over, watches) = lock.withLock {
      session.transportClosed(error)
      begunShutdown = .abort
      let watches = self.watches
      self.watches = [:]
      return (self.timer.take(), watches)
    }
    over?.dispose()
    for watch in watches.values { watch.timer?.dispose() }
    deliver()
  }

  /// Dials the target of a redirect, within the rest of the handshake's time.
  ///
  /// Returns false when dialing fails or the WebSocket was closed meanwhile.
  private func redirect(to dialer: Dialer) -> Bool {
    isReading = true
    lock.withLock { begunShutdown = nil }
    hasUnreadEnd = false
    held.value = nil
    let transport = makeTransport { () throws(WebSocketError) in try dialer.dial() }
    transport?.start(self)
    return transport != nil
  }

  func log(
    _ level: WebSocketLog.Level, _ message: @autoclosure () -> String, closeCode: CloseCode? = nil,
    error: (any Error)? = nil
  ) {
    options.log.write(level) {
      let client = lock.withLock { session.remoteClient }
      return WebSocketLog.Entry(
        level, message(), of: client.map { .server($0) } ?? .client(options.name),
        closeCode: closeCode, error: error)
    }
  }

  /// Ends the session by `change`, delivers its events and closes the transport if need be.
  func end(_ change: (inout Session) -> Void) {
    lock.withLock { change(&session) }
    deliver()
    updateReading()
  }

  /// Delivers pending events and writes queued output.
  func deliverAndFlush() {
    deliver()
    flushAndUpdateReading()
  }

  /// What decides whether the connection is read, and whether its transport is closed.
  struct MeasuredReading {
    fileprivate let session: Session.Readiness
    fileprivate let beginsShutdown: Bool
  }

  /// The caller holds the lock, is on the loop, and calls `apply(_:)` after unlocking.
  func measureReading() -> MeasuredReading {
    let readiness = session.readiness(whileReading: isReading)
    writeScheduler.noteMeasured(isFull: !readiness.mayRead)
    var beginsShutdown = false
    if let shutdown = readiness.shutdown, shutdown != begunShutdown, begunShutdown != .abort {
      begunShutdown = shutdown
      beginsShutdown = true
    }
    return MeasuredReading(session: readiness, beginsShutdown: beginsShutdown)
  }

  /// Pauses or resumes reading, and closes the transport when the session has ended.
  func updateReading() { apply(lock.withLock { measureReading() }) }

  func apply(_ measured: MeasuredReading) {
    let session = measured.session
    charge(unfinished: session.unfinishedBytes)
    // A dropped connection discards its held bytes.
    if isTransportClosed, held.isNone || session.shutdown == .abort { return finish(nil) }
    // A closing WebSocket reads on, since the peer's close frame follows messages without a
    // consumer. Bytes that arrived on a broken connection are delivered while there is room.
    let isFull = session.pausesForConsumers && streams.isFull
    if session.isBroken, isFull, !(hasUnreadEnd && streams.hasFullWindow) {
      return end { $0.dropUnreadBytes() }
    }
    // Held bytes are processed before new ones are read.
    let mayGoOn = session.mayRead && !isFull
    if mayGoOn, !held.isNone { scheduleTurn() }
    let wantsToRead = mayGoOn && held.isNone
    if wantsToRead != isReading {
      isReading = wantsToRead
      // Bytes that the peer sent during the pause are not read yet, so its silence counts from now.
      if wantsToRead { keepalive.noteSignOfLife() }
      lock.withLock { transport }?.setReading(wantsToRead)
    }
    if hasUnreadEnd, !isReading { watch(.unreadEnd) }
    guard measured.beginsShutdown else { return }
    switch session.shutdown {
    case .graceful: begin(.close)
    case .gracefulOnceSent: begin(.answerTaken(.close))
    case .abort: lock.withLock { transport }?.close()
    case nil: break
    }
  }
}
