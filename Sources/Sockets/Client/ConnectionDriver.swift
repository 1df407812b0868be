/// Moves bytes between a transport and a session, and tells the streams what comes.
///
/// Whoever sends or closes touches the session under its lock, on any thread.
/// Everything is told on the loop's thread, outside of the lock.
final class ConnectionDriver: TransportHandler, @unchecked Sendable {
  /// Makes a transport that is not started yet, and the handshake to make on it.
  typealias Dial = @Sendable () throws(WebSocketError) -> (any Transport, OpeningHandshake)

  let loop: EventLoop
  let options: SharedOptions
  let streams: SocketStreams

  /// Who leads to the peer.
  private enum Way {
    case undialed(Dial)
    case dialed(any Transport)
    case none
  }

  // `lock` protects these; the compiler's own checks of exclusive access would be made once more for
  // each message.
  let lock = Lock()
  @exclusivity(unchecked) var session: Session
  @exclusivity(unchecked) var tasks: PendingOperations?
  @exclusivity(unchecked) var writeScheduler = WriteScheduler()
  @exclusivity(unchecked) private var way: Way
  /// Of what is waited for.
  var timer: LoopClock.Wait?
  /// Of what has to make progress.
  @exclusivity(unchecked) var watches = Boxed<StallWatches>()

  /// Told of each state, behind all who observe; set before it connects.
  var registry: ConnectionRegistry?

  // Touched on the loop's thread only; in an order that leaves no gaps.
  /// What was read and is not worked on yet.
  @exclusivity(unchecked) var held = Boxed<HeldBytes>()
  let receiveCharge = ReceiveCharge()
  var keepalive = Keepalive()
  @exclusivity(unchecked) var isFlushDue = false
  @exclusivity(unchecked) private(set) var isReading = true
  /// The peer's end has arrived, behind bytes that are not read.
  @exclusivity(unchecked) private(set) var hasUnreadEnd = false
  @exclusivity(unchecked) var isClosing = false
  @exclusivity(unchecked) private var isLeaving = false
  /// Whether its turn to go on with what is held is already asked for.
  @exclusivity(unchecked) var isGoingOn = false
  /// Whether the transport has closed before what is held was worked on.
  @exclusivity(unchecked) private var isGone = false

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

  /// The state; it changes before it is told.
  var state: WebSocketState { lock.withLock { session.state } }

  /// What the handshake came to.
  var agreement: Agreement? { lock.withLock { session.agreement } }

  /// How it ends; nil before that is known.
  var outcome: CloseOutcome? { lock.withLock { session.outcome } }

  /// Whether there is room for more to send.
  var isWritable: Bool { lock.withLock { session.isWritable } }

  /// What has gone through.
  var metrics: WebSocketMetrics {
    lock.withLock {
      var metrics = session.metrics
      metrics.roundTripTime = tasks?.pings.lastRoundTrip
      return metrics
    }
  }

  // MARK: From any thread

  /// Begins to connect, the first time it is called.
  func connect() {
    // The first caller takes it, and calls it unlocked.
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

  /// Lets `body` put something into the connection's output, and sees that it leaves.
  @inline(__always)
  func send(_ body: (inout Connection) throws(SendError) -> Void) throws(WebSocketError) {
    let flushTime = try lock.withLock { () throws(WebSocketError) in
      try session.send(body)
      return scheduleFlush()
    }
    perform(flushTime)
  }

  /// Closes from this side: in effect when it returns.
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

  /// Closes as `close` does; but who has asked the server for something gets an answer first.
  func closeServed(_ code: CloseCode, reason: String) {
    guard lock.withLock({ session.turnAway() }) else { return close(code, reason: reason) }
    loop.execute {
      self.deliver()
      self.flushAndBalance()
    }
  }

  /// Drops the connection without a word: in effect when it returns.
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
      self.finishIfGone()
    }
  }

  /// Somebody observes for the first time, or can take more: what was kept is told, and reading goes
  /// on.
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
    lock.withLock { writeScheduler.wantLoop() }
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
    drop { $0.breakOff(error) }
    balance()
  }

  func transportClosed(_ error: TransportError?) {
    if let route = lock.withLock({ session.redirect }), follow(route) { return }
    // Nobody is there for an answer to what a server was asked.
    if let error, !held.isNone, !isGone, !lock.withLock({ session.isOpeningServer }) {
      // What was read comes before the error.
      isGone = true
      return transportFailed(error)
    }
    finish(error)
  }

  /// Drops what was read when the transport has closed already and tells of no other end.
  func finishIfGone() {
    if isGone { finish(nil) }
  }

  /// The transport has closed, and what was read is delivered or dropped.
  private func finish(_ error: TransportError?) {
    isGone = false
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

  /// Begins again elsewhere, on what is left of the time; false when that is not possible, or not wanted
  /// any more.
  private func follow(_ route: Dialer) -> Bool {
    isReading = true
    isLeaving = false
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
      lock.withLock { session.giveUp(error) }
      return false
    }
  }

  func log(_ level: WebSocketLog.Level, _ line: @autoclosure () -> String) {
    options.log.write(level, "\(name): \(line())")
  }

  /// What the log calls the connection.
  private var name: String {
    lock.withLock { session.visitor }.map { "\($0)" } ?? options.name
  }

  /// Drops the connection when the session says so.
  func drop(if isOver: (inout Session) -> Bool) {
    let dropped = lock.withLock { isOver(&session) ? transport : nil }
    deliver()
    dropped?.close()
    if dropped != nil { finishIfGone() }
  }

  /// Whether more would be held than consumers may have; on the loop.
  var isFull: Bool { streams.isFull && lock.withLock { session.countsConsumers } }

  /// Reads only while what comes can be told and answered; leaves when all is said.
  func balance() {
    let (session, transport) = lock.withLock {
      let balance = self.session.balance(whileReading: isReading)
      writeScheduler.noteJudged(isFull: !balance.mayRead)
      return (balance, self.transport)
    }
    charge(unfinished: session.unfinishedBytes)
    // Whoever closes reads on: the peer's close frame comes behind what nobody observes. What had arrived
    // on a broken connection is delivered as long as there is room for it.
    if isGone, held.isNone { return finish(nil) }
    let isFull = session.countsConsumers && streams.isFull
    if session.isBroken, isFull, !(hasUnreadEnd && streams.hasFullWindow) {
      return drop { $0.abandonBroken() }
    }
    // What was read before comes first.
    let mayGoOn = session.mayRead && !isFull
    if mayGoOn, !held.isNone { goOnLater() }
    let wantsToRead = mayGoOn && held.isNone
    if wantsToRead != isReading {
      isReading = wantsToRead
      // What the peer has sent meanwhile is not read yet.
      if wantsToRead { keepalive.heard() }
      transport?.setReading(wantsToRead)
    }
    if hasUnreadEnd, !isReading { watch(.unreadEnd) }
    guard let shutdown = session.shutdown, !isLeaving else { return }
    isLeaving = true
    switch shutdown {
    case .graceful: begin(.close)
    case .gracefulOnceSent: begin(.answerTaken(.close))
    case .abort: transport?.close()
    }
  }
}
