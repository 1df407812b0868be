import Reactive

// What may take too long comes one after the other: the handshake, the silences while it is connected,
// the close. So a pump has one timer.
//
//     idle --connect--> handshake --connected--> keepalive, again and again --close--> close
//
// `timer` is protected by the pump's lock, since any thread may close. The state is looked at in the same
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
extension Pump {
  /// What is waited for.
  enum Wait {
    case handshake
    case keepalive(Duration)
    case close
    /// The handshake or the close, from when the answer to a plain request is taken.
    case answerTaken(Session.Deadline, Taking? = nil)
  }

  /// Begins a wait, in the place of the one before, which has ended.
  func begin(_ wait: Wait) {
    let limits = terms.limits
    // A closure of nothing but `self` takes no memory. Its timer keeps the pump, and is gone when it has
    // fired, when another one takes its place, and when the transport has closed.
    let timer =
      switch wait {
      case .handshake: clock.after(limits.handshakeTimeout) { self.expire(.handshake) }
      case .keepalive(let time): clock.after(time) { self.tick() }
      case .close: clock.after(limits.closeTimeout) { self.expire(.close) }
      case .answerTaken(let deadline, let before): watchTaking(deadline, before)
      }
    let over = lock.withLock { () -> LoopClock.Wait? in
      guard isDue(wait) else { return timer }
      defer { self.timer = timer }
      return self.timer
    }
    over?.dispose()
  }

  /// The caller holds the lock.
  private func isDue(_ wait: Wait) -> Bool {
    switch wait {
    case .handshake, .close, .answerTaken: session.state != .disconnected
    case .keepalive: session.state == .connected
    }
  }

  /// The handshake is made, and nothing is waited for; should a close be under way since, its wait goes on.
  func endHandshake() {
    let over = lock.withLock { session.state == .connected ? timer.take() : nil }
    over?.dispose()
  }

  /// How far a client is with its answer.
  struct Taking {
    /// How many bytes its system has taken, as far as this one knows.
    let count: Int
    /// Whether that is all.
    let isDone: Bool
    /// For how many quarters of the time nothing has changed.
    var quarters = 0
  }

  private var taking: Taking {
    let (transport, sent, unwritten) = lock.withLock {
      (self.transport, session.metrics.bytesSent, session.unwrittenCount)
    }
    let outstanding = transport?.acknowledgement?.outstanding ?? 0
    return Taking(count: sent - outstanding, isDone: unwritten + outstanding == 0)
  }

  /// Looks four times in the deadline's time whether the answer is taken; when all of it is, the time begins, and when
  /// nothing of it was all that time, it is over.
  private func watchTaking(_ deadline: Session.Deadline, _ before: Taking?) -> LoopClock.Wait {
    let limits = terms.limits
    let time = deadline == .close ? limits.closeTimeout : limits.handshakeTimeout
    var now = taking
    if now.isDone { return clock.after(time) { self.expire(deadline) } }
    if let before, before.count == now.count { now.quarters = before.quarters + 1 }
    let next = now
    return clock.after(time / 4) {
      if next.quarters == 3, self.taking.count == next.count { return self.expire(deadline) }
      self.begin(.answerTaken(deadline, next))
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
    tell()
    flushAndBalance()
  }
}

// MARK: - Memory

extension Pump {
  /// Lets the memory of the handshake go when its last bytes have left: with what is sent in this turn.
  func restAtEndOfTurn() {
    loop.endOfTurn {
      self.flushAndBalance()
      self.lock.withLock { self.session.rest() }
    }
  }
}

// MARK: - Keepalive, on the loop

extension Pump {
  func startKeepalive() {
    guard let plan = terms.limits.keepalive else { return endHandshake() }
    begin(.keepalive(plan.interval))
  }

  private func tick() {
    guard let plan = terms.limits.keepalive, state == .connected else { return }
    // A ping to a peer that has ended provokes a reset, and what it sent is still wanted.
    if hasUnreadEnd, streams.isFull { return begin(.keepalive(plan.interval)) }
    let acknowledgement = lock.withLock { transport }?.acknowledgement
    let wasOwed = keepalive.owed
    let (unwritten, sent, ping) = lock.withLock {
      (session.unwrittenCount, session.metrics.bytesSent, tasks?.pings.unansweredSince)
    }
    let outstanding = acknowledgement?.outstanding ?? 0
    keepalive.note(taken: sent - outstanding, isOwed: unwritten + outstanding > 0)
    // Whether not even the peer's system has answered since the last ping, or took what waited, whatever is read.
    let isOverdue =
      if let ping { acknowledgement?.isOverdue(since: clock.now - ping) ?? false } else {
        wasOwed && acknowledgement?.isOverdue(since: plan.timeout) ?? false
      }
    switch keepalive.expire(plan, isSilenceEvidence: isReading || isOverdue) {
    case .rest(let wait): begin(.keepalive(wait))
    case .ping(let wait):
      begin(.keepalive(wait))
      // In all that time the memory of the last burst could have been somebody else's.
      let isWaiting = lock.withLock {
        session.rest()
        return session.outputCount > 0
      }
      // Behind bytes that do not leave a ping would not either.
      if !isWaiting { sendKeepalivePing() }
    case .dead: drop { $0.abandon(.silent(after: plan.timeout)) }
    }
  }
}
