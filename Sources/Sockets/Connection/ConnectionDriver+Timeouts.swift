// The waits with a time limit follow each other: the handshake, then the silences of the open
// connection, then the close. So a driver needs one timer.
//
//     idle --connect--> handshake --connected--> keepalive, again and again --close--> close
//
// The driver's lock protects `timer`, since any thread may close. The state is checked under the
// same lock that stores the timer, and a close changes the state before its wait begins:
//
//     the loop's tick                     another thread's close
//     state is connected: stores timer    changes the state
//                                         replaces the timer by its own
//     or:                                 changes the state
//     state is not: discards timer        stores its own timer
//
// A timer that has begun to fire when it is replaced still calls its handler. The handler asks the
// session, which ignores a deadline of an earlier phase.
extension ConnectionDriver {
  /// The waits that share the driver's timer.
  enum Timeout {
    case handshake
    case keepalive(Duration)
    case close
    /// The handshake or the close, from when the client's system has taken the answer to a request.
    case answerTaken(Session.Deadline, StallWatch? = nil)
  }

  /// Begins a wait and replaces the previous timer, whose wait has ended.
  func begin(_ timeout: Timeout) {
    let limits = options.limits
    // A closure that captures only `self` allocates nothing. The timer retains the driver until it
    // fires, until another timer replaces it, or until the transport has closed.
    let timer =
      switch timeout {
      case .handshake: clock.after(limits.handshakeTimeout) { self.deadlinePassed(.handshake) }
      case .keepalive(let time): clock.after(time) { self.tick() }
      case .close: clock.after(limits.closeTimeout) { self.deadlinePassed(.close) }
      case .answerTaken(let deadline, let watch): watchAnswer(deadline, watch)
      }
    let over = lock.withLock { () -> LoopClock.Wait? in
      guard isDue(timeout) else { return timer }
      defer { self.timer = timer }
      return self.timer
    }
    over?.dispose()
  }

  /// Whether the wait still applies in the current state; the caller holds the lock.
  private func isDue(_ timeout: Timeout) -> Bool {
    switch timeout {
    // After the last answer the connection is closing, and the close has its own wait.
    case .answerTaken(.handshake, _): session.isOpeningServer
    case .handshake, .close, .answerTaken(.close, _): session.state != .disconnected
    case .keepalive: session.state == .connected
    }
  }

  /// Waits for the client's system to take the answer, then for the deadline's time.
  ///
  /// A client whose system takes no byte for that time has missed the deadline. While bytes of the
  /// answer have not left the process, the deadline is renewed: the watch of writing decides then.
  private func watchAnswer(
    _ deadline: Session.Deadline, _ earlier: StallWatch?
  ) -> LoopClock.Wait {
    let limits = options.limits
    let limit = deadline == .close ? limits.closeTimeout : limits.handshakeTimeout
    let delivery = delivery
    guard delivery.isOwed else { return clock.after(limit) { self.deadlinePassed(deadline) } }
    var watch = earlier ?? StallWatch(limit: limit)
    switch watch.check(mark: delivery.taken, now: clock.now) {
    case .wait(let time):
      let next = watch
      return clock.after(time) { self.begin(.answerTaken(deadline, next)) }
    case .stalled: return clock.after(.zero) { self.deadlinePassed(deadline) }
    }
  }

  private func deadlinePassed(_ deadline: Session.Deadline) {
    let isWritingAnswer = lock.withLock {
      session.deadlinePassed(deadline)
      return session.isWritingAnswer
    }
    if isWritingAnswer { begin(.answerTaken(deadline)) }
    // The session may have refused the request instead of dropping the client.
    deliverAndFlush()
  }
}

// MARK: - Keepalive, on the loop

extension ConnectionDriver {
  /// Begins the keepalive's waits, if there are any, in place of the handshake's.
  func startKeepalive() {
    if let plan = options.limits.keepalive { return begin(.keepalive(plan.interval)) }
    // The timer of a close that has begun meanwhile stays.
    let over = lock.withLock { session.state == .connected ? timer.take() : nil }
    over?.dispose()
  }

  private func tick() {
    guard let plan = options.limits.keepalive, state == .connected else { return }
    // A ping to a peer that has ended provokes a reset, which would discard its unread bytes.
    if hasUnreadEnd, streams.isFull { return begin(.keepalive(plan.interval)) }
    let delivery = delivery
    let wasOwed = keepalive.isOwed
    keepalive.note(taken: delivery.taken, isOwed: delivery.isOwed)
    let ping = lock.withLock { tasks?.pings.unansweredSince }
    // While reading is paused, silence is not evidence of a dead peer. An overdue acknowledgement
    // by the peer's system is: of the unanswered ping, or of bytes owed since the last tick.
    let silence = ping.map { clock.now - $0 } ?? (wasOwed ? plan.timeout : nil)
    let isOverdue = silence.flatMap { delivery.acknowledgement?.isOverdue(since: $0) } ?? false
    switch keepalive.expire(plan, isSilenceEvidence: isReading || isOverdue) {
    case .wait(let wait): begin(.keepalive(wait))
    case .ping(let wait):
      begin(.keepalive(wait))
      // The connection was quiet for the whole interval, so the memory of its last burst is freed.
      let isWaiting = lock.withLock {
        session.codec.releaseIdleMemory()
        return session.outputCount > 0
      }
      // A ping behind bytes that do not leave would not leave either.
      if !isWaiting { sendKeepalivePing() }
    case .dead: end { $0.drop(.silent(after: plan.timeout)) }
    }
  }
}
