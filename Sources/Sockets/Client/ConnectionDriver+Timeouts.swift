import Reactive

// What may take too long comes one after the other: the handshake, the silences while it is connected,
// the close. So a driver has one timer.
//
//     idle --connect--> handshake --connected--> keepalive, again and again --close--> close
//
// `timer` is protected by the driver's lock, since any thread may close. The state is looked at in the same
// moment as the timer is put there, and a close changes the state before its wait begins:
//
//     the loop's tick                 another thread's close
//     state is connected: puts it     state changes
//                                     puts the close's in its place
//     or:                             state changes
//     state is not: gives it up       puts the close's there
//
// A timer that has begun to fire when its place is taken still says so; whoever hears it asks the session,
// which then has other things to wait for.
extension ConnectionDriver {
  /// What is waited for.
  enum Timeout {
    case handshake
    case keepalive(Duration)
    case close
    /// The handshake or the close, from when the answer to a plain request is taken.
    case answerTaken(Session.Deadline, StallWatch? = nil)
  }

  /// Begins a wait, in the place of the one before, which has ended.
  func begin(_ timeout: Timeout) {
    let limits = options.limits
    // A closure of nothing but `self` takes no memory. Its timer keeps the driver, and is gone when it has
    // fired, when another one takes its place, and when the transport has closed.
    let timer =
      switch timeout {
      case .handshake: clock.after(limits.handshakeTimeout) { self.expire(.handshake) }
      case .keepalive(let time): clock.after(time) { self.tick() }
      case .close: clock.after(limits.closeTimeout) { self.expire(.close) }
      case .answerTaken(let deadline, let watch): watchAnswer(deadline, watch)
      }
    let over = lock.withLock { () -> LoopClock.Wait? in
      guard isDue(timeout) else { return timer }
      defer { self.timer = timer }
      return self.timer
    }
    over?.dispose()
  }

  /// The caller holds the lock.
  private func isDue(_ timeout: Timeout) -> Bool {
    switch timeout {
    // An answer may have been the last: the connection closes since, which another wait ends.
    case .answerTaken(.handshake, _): session.isOpeningServer
    case .handshake, .close, .answerTaken(.close, _): session.state != .disconnected
    case .keepalive: session.state == .connected
    }
  }

  /// The handshake is made, and nothing is waited for; should a close be under way since, its wait goes on.
  func endHandshake() {
    let over = lock.withLock { session.state == .connected ? timer.take() : nil }
    over?.dispose()
  }

  /// Waits until the client's system has taken the answer, and the deadline's time from then on; a client that takes
  /// nothing of it for that time has missed the deadline, unless some has not left the process: then the watch of
  /// what is written decides.
  private func watchAnswer(
    _ deadline: Session.Deadline, _ earlier: StallWatch?
  ) -> LoopClock.Wait {
    let limits = options.limits
    let limit = deadline == .close ? limits.closeTimeout : limits.handshakeTimeout
    let delivery = delivery
    guard delivery.isOwed else { return clock.after(limit) { self.expire(deadline) } }
    var watch = earlier ?? StallWatch(limit: limit)
    switch watch.check(mark: delivery.taken, now: clock.now) {
    case .wait(let time):
      let next = watch
      return clock.after(time) { self.begin(.answerTaken(deadline, next)) }
    case .stalled: return clock.after(.zero) { self.expire(deadline) }
    }
  }

  private func expire(_ deadline: Session.Deadline) {
    let (dropped, isDelivering) = lock.withLock {
      (session.expire(deadline) ? transport : nil, session.isDelivering)
    }
    if isDelivering { begin(.answerTaken(deadline)) }
    dropped?.close()
    if dropped != nil { return finishIfGone() }
    // Perhaps it was refused.
    deliver()
    flushAndBalance()
  }
}

// MARK: - Memory

extension ConnectionDriver {
  /// Lets the memory of the handshake go when its last bytes have left: with what is sent in this turn.
  func releaseHandshakeMemoryAtEndOfTurn() {
    loop.endOfTurn {
      self.flushAndBalance()
      self.lock.withLock { self.session.releaseIdleMemory() }
    }
  }
}

// MARK: - Keepalive, on the loop

extension ConnectionDriver {
  func startKeepalive() {
    guard let plan = options.limits.keepalive else { return endHandshake() }
    begin(.keepalive(plan.interval))
  }

  private func tick() {
    guard let plan = options.limits.keepalive, state == .connected else { return }
    // A ping to a peer that has ended provokes a reset, and what it sent is still wanted.
    if hasUnreadEnd, streams.isFull { return begin(.keepalive(plan.interval)) }
    let delivery = delivery
    let wasOwed = keepalive.isOwed
    keepalive.note(taken: delivery.taken, isOwed: delivery.isOwed)
    let ping = lock.withLock { tasks?.pings.unansweredSince }
    // Whether not even the peer's system has answered since the last ping, or took what waited, whatever is read.
    let silence = ping.map { clock.now - $0 } ?? (wasOwed ? plan.timeout : nil)
    let isOverdue = silence.flatMap { delivery.acknowledgement?.isOverdue(since: $0) } ?? false
    switch keepalive.expire(plan, isSilenceEvidence: isReading || isOverdue) {
    case .wait(let wait): begin(.keepalive(wait))
    case .ping(let wait):
      begin(.keepalive(wait))
      // In all that time the memory of the last burst could have been somebody else's.
      let isWaiting = lock.withLock {
        session.releaseIdleMemory()
        return session.outputCount > 0
      }
      // Behind bytes that do not leave a ping would not either.
      if !isWaiting { sendKeepalivePing() }
    case .dead: drop { $0.abandon(.silent(after: plan.timeout)) }
    }
  }
}
