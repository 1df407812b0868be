import Reactive

/// What has to make progress on an open connection.
enum Progress {
  /// The peer takes the bytes that wait to be sent.
  case writing
  /// Consumers take the messages before the peer's end, which has arrived.
  case unreadEnd

  fileprivate func error(after limit: Duration) -> WebSocketError {
    switch self {
    case .writing: .writeTimedOut(after: limit)
    case .unreadEnd: .unreadDropped(after: limit)
    }
  }
}

/// Decides when something has made no progress for too long: a plain value without a clock.
///
/// It is asked four times in each limit, so that what stalls is noticed within a limit and a
/// quarter.
struct StallWatch {
  let limit: Duration
  /// Until the next check.
  var timer: LoopClock.Wait?
  private var lastMark: Int?
  private var lastProgress = Duration.zero

  init(limit: Duration) { self.limit = limit }

  /// What follows a check.
  enum Verdict: Equatable {
    /// Check again after this time.
    case wait(Duration)
    /// Nothing has changed for the limit.
    case stalled(limit: Duration)
  }

  /// Compares with the last check.
  ///
  /// - Parameters:
  ///   - mark: A number that changes with every progress.
  ///   - now: The time since any moment that stays the same.
  mutating func check(mark: Int, now: Duration) -> Verdict {
    if mark != lastMark {
      lastMark = mark
      lastProgress = now
      return .wait(max(limit / 4, .milliseconds(1)))
    }
    let rest = limit - (now - lastProgress)
    return rest > .zero ? .wait(min(rest, limit / 4)) : .stalled(limit: limit)
  }
}

/// The watches of a connection; most never have one.
struct StallWatches {
  var writing: StallWatch?
  var unreadEnd: StallWatch?

  subscript(progress: Progress) -> StallWatch? {
    get {
      switch progress {
      case .writing: writing
      case .unreadEnd: unreadEnd
      }
    }
    set {
      switch progress {
      case .writing: writing = newValue
      case .unreadEnd: unreadEnd = newValue
      }
    }
  }

  func dispose() {
    writing?.timer?.dispose()
    unreadEnd?.timer?.dispose()
  }
}

/// How far the peer's system is with the bytes that are sent to it.
struct Delivery {
  /// How many bytes it has taken, as far as this side knows.
  ///
  /// TLS adds bytes on the way, so that it may fall.
  let taken: Int
  /// Whether it has yet to take some: they are on their way, or wait here.
  let isOwed: Bool
  /// What its TCP has acknowledged; nil where that is unknown.
  let acknowledgement: Acknowledgement?
}

extension ConnectionDriver {
  /// Asked by callers that do not hold the lock, since it takes the transport's own.
  var delivery: Delivery {
    let (transport, sent, unwritten) = lock.withLock {
      (self.transport, session.metrics.bytesSent, session.unwrittenCount)
    }
    let acknowledgement = transport?.acknowledgement
    let outstanding = acknowledgement?.outstanding ?? 0
    return Delivery(
      taken: sent - outstanding, isOwed: unwritten + outstanding > 0,
      acknowledgement: acknowledgement)
  }
}

extension ConnectionDriver {
  /// How long the messages before the peer's end wait while none of them is taken.
  private static var unreadLimit: Duration { .seconds(30) }

  /// Begins to watch, unless that has begun; it ends by itself when there is nothing more to wait
  /// for.
  ///
  /// The caller does not hold the lock.
  func watch(_ progress: Progress) {
    let begins = lock.withLock {
      guard isWatchDue(progress), let limit = limit(of: progress) else { return false }
      var all = watches.value ?? StallWatches()
      all[progress] = StallWatch(limit: limit)
      watches.value = all
      return true
    }
    if begins { check(progress) }
  }

  /// Whether something waits that is not watched yet; the caller holds the lock.
  func isWatchDue(_ progress: Progress) -> Bool {
    limit(of: progress) != nil && watches.value?[progress] == nil && isPending(progress)
  }

  private func limit(of progress: Progress) -> Duration? {
    switch progress {
    case .writing: options.limits.writeTimeout
    case .unreadEnd: Self.unreadLimit
    }
  }

  /// The caller holds the lock.
  private func isPending(_ progress: Progress) -> Bool {
    let isConnected = session.state == .connected
    return switch progress {
    case .writing: (isConnected || session.isDelivering) && session.unwrittenCount > 0
    case .unreadEnd: (isConnected || session.isBroken) && streams.isFull
    }
  }

  private func check(_ progress: Progress) {
    let delivery = delivery
    let now = clock.now
    let verdict = lock.withLock { () -> StallWatch.Verdict? in
      guard isPending(progress) else {
        watches.value?[progress] = nil
        return nil
      }
      let mark =
        switch progress {
        case .writing: delivery.taken
        case .unreadEnd: session.metrics.bytesReceived &+ streams.bytesInWindows
        }
      return watches.value?[progress]?.check(mark: mark, now: now)
    }
    switch verdict {
    case .wait(let time)?: wait(time, for: progress)
    case .stalled(let limit)?: drop { $0.abandon(progress.error(after: limit)) }
    case nil: break
    }
  }

  private func wait(_ time: Duration, for progress: Progress) {
    let timer = clock.after(time) { self.check(progress) }
    let isWanted = lock.withLock {
      // A transport that has closed meanwhile has taken the watches with it.
      guard watches.value?[progress] != nil else { return false }
      watches.value?[progress]?.timer = timer
      return true
    }
    if !isWanted { timer.dispose() }
  }
}
