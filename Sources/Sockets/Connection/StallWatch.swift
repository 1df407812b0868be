/// A kind of progress that an open connection has to make.
enum Progress: Hashable {
  /// The peer takes the queued bytes.
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

/// Decides when a connection has made no progress for too long: a plain value without a clock.
///
/// It is checked four times in each limit, so a stall is noticed after at most 1.25 limits.
struct StallWatch {
  let limit: Duration
  /// The timer of the next check.
  var timer: LoopClock.Wait?
  private var lastMark: Int?
  private var lastProgress = Duration.zero

  init(limit: Duration) { self.limit = limit }

  /// The result of a check.
  enum Verdict: Equatable {
    /// Check again after this time.
    case wait(Duration)
    /// Nothing has changed for the limit.
    case stalled(limit: Duration)
  }

  /// Compares the mark with that of the last check.
  ///
  /// - Parameters:
  ///   - mark: a number that changes with every progress.
  ///   - now: the time since any fixed moment.
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

/// How many of the sent bytes the peer's system has taken.
struct Delivery {
  /// The bytes that the peer's system has taken, as far as this side knows.
  ///
  /// The number may fall, since TLS adds bytes that count as outstanding.
  let taken: Int
  /// Whether bytes are queued or on their way to the peer.
  let isOwed: Bool
  /// The acknowledgements of the peer's TCP; nil where they are unknown.
  let acknowledgement: Acknowledgement?
}

extension ConnectionDriver {
  /// The current delivery.
  ///
  /// The caller does not hold the driver's lock, since this takes the transport's lock.
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
  /// How long messages before the peer's end may wait while no consumer takes any.
  private static var unreadLimit: Duration { .seconds(30) }

  /// Begins to watch, unless that has begun; the watch ends by itself when nothing is pending.
  ///
  /// The caller does not hold the lock.
  func watch(_ progress: Progress) {
    let begins = lock.withLock {
      guard isWatchDue(progress), let limit = limit(of: progress) else { return false }
      watches[progress] = StallWatch(limit: limit)
      return true
    }
    if begins { check(progress) }
  }

  /// Whether something is pending that has no watch yet; the caller holds the lock.
  func isWatchDue(_ progress: Progress) -> Bool {
    limit(of: progress) != nil && watches[progress] == nil && isPending(progress)
  }

  private func limit(of progress: Progress) -> Duration? {
    switch progress {
    case .writing: options.limits.writeTimeout
    case .unreadEnd: Self.unreadLimit
    }
  }

  /// Whether progress of this kind is needed now; the caller holds the lock.
  private func isPending(_ progress: Progress) -> Bool {
    let isConnected = session.state == .connected
    return switch progress {
    case .writing: (isConnected || session.isWritingAnswer) && session.unwrittenCount > 0
    case .unreadEnd: (isConnected || session.isBroken) && streams.isFull
    }
  }

  private func check(_ progress: Progress) {
    let delivery = delivery
    let now = clock.now
    let verdict = lock.withLock { () -> StallWatch.Verdict? in
      guard isPending(progress) else {
        watches[progress] = nil
        return nil
      }
      let mark =
        switch progress {
        case .writing: delivery.taken
        case .unreadEnd: session.metrics.bytesReceived &+ streams.bytesInWindows
        }
      return watches[progress]?.check(mark: mark, now: now)
    }
    switch verdict {
    case .wait(let time)?:
      let timer = clock.after(time) { self.check(progress) }
      let isWatching = lock.withLock {
        watches[progress]?.timer = timer
        return watches[progress] != nil
      }
      // The transport has closed meanwhile, which removes the watches.
      if !isWatching { timer.dispose() }
    case .stalled(let limit)?: end { $0.drop(progress.error(after: limit)) }
    case nil: break
    }
  }
}
