/// Decides when output is written: with few writes, soon, and outside of the lock.
///
/// One thread at a time takes the output out of the session, writes it unlocked, and returns the
/// bytes that the transport did not take:
///
/// | meanwhile                      | what happens                                               |
/// | ------------------------------ | ---------------------------------------------------------- |
/// | another thread sends           | its bytes are queued behind those being written            |
/// | another thread wants to write  | it asks for a flush by the loop after the current write    |
/// | the transport has room again   | the same: this write may already have been cut short       |
/// | the loop measures the queue    | bytes being written count; if full, the loop flushes again |
/// | another thread closes          | the close frame is queued; the half close waits            |
///
/// The queue may also look full because another thread has queued bytes that it is about to write.
/// So the loop's result is kept until the next write has ended.
struct WriteScheduler {
  // The driver's lock protects every property.

  /// Whether a thread is writing output that it took out of the session.
  fileprivate var isWriting = false
  /// Whether the loop flushes again after the current write.
  private var isLoopFlushRequested = false
  /// Whether a fair turn of the loop will compress the next piece of what is queued.
  fileprivate var isTurnDue = false
  /// Whether the loop, since the last write ended, found too much queued to admit senders or to
  /// read.
  private var wasFoundFull = false
  /// Whether a flush by the loop is scheduled.
  private var isScheduled = false
  /// When output of a thread other than the loop's was last written, in nanoseconds of the
  /// monotonic clock.
  private var lastWrite: UInt64 = 0

  // Slightly less than an output buffer retains, so that small messages do not make the buffer grow
  // beyond that.
  fileprivate static let largeWrite = OutputBuffer.retainedCapacity - 4096
  /// The most writes of one flush.
  ///
  /// Each is followed by framing the next fragments, which takes up to 2 ms when they are
  /// compressed.
  fileprivate static func mostWrites(needsCompression: Bool) -> Int { needsCompression ? 1 : 16 }
  /// A sender that sends again within 10 us is in a burst: no peer can have answered yet.
  private static let burst: UInt64 = 10_000

  /// Chooses when output of a thread other than the loop's is written.
  fileprivate mutating func choose(
    isLarge: Bool, now: @autoclosure () -> UInt64
  ) -> ConnectionDriver.FlushTime {
    if isScheduled { return isLarge ? .now : .none }
    // A burst from another thread costs one write and one wake-up, not one for each message.
    let now = now()
    guard isLarge || now - lastWrite >= Self.burst else {
      isScheduled = true
      return .byTheLoop
    }
    lastWrite = now
    return .now
  }

  /// Notes that the loop runs the scheduled flush.
  fileprivate mutating func loopFlushBegan(now: @autoclosure () -> UInt64) {
    guard isScheduled else { return }
    isScheduled = false
    lastWrite = now()
  }

  /// Asks for a flush by the loop after the current write; does nothing when no thread is writing.
  mutating func requestLoopFlush() {
    if isWriting { isLoopFlushRequested = true }
  }

  /// Notes the loop's result; the bytes it counted may be in a write or about to be written.
  mutating func noteMeasured(isFull: Bool) {
    if isFull { wasFoundFull = true }
  }

  /// Notes the end of a write, and returns when output is written next.
  ///
  /// - Parameters:
  ///   - byLoop: whether the loop wrote; the loop then admits waiting senders and measures the
  ///     queue again by itself.
  ///   - isFull: whether queued output keeps senders waiting.
  ///   - isUnfinished: whether more is to be framed and written at once.
  ///   - needsCompression: whether that may have to be compressed first.
  fileprivate mutating func ended(
    byLoop: Bool, isFull: Bool, isUnfinished: Bool, needsCompression: Bool
  ) -> ConnectionDriver.FlushTime {
    defer { (isWriting, isLoopFlushRequested, wasFoundFull) = (false, false, false) }
    if isUnfinished, needsCompression {
      isTurnDue = true
      return .inFairTurn
    }
    let isNeeded = isUnfinished || isLoopFlushRequested || !byLoop && (isFull || wasFoundFull)
    guard isNeeded, !isScheduled else { return .none }
    isScheduled = true
    return .byTheLoop
  }
}

extension ConnectionDriver {
  /// When queued output is written.
  enum FlushTime {
    /// No flush is needed, or one is already scheduled.
    case none
    /// At once, by the sender.
    case now
    /// At the end of this turn of the loop, with all output of the turn.
    case atEndOfTurn
    /// By the loop's next flush, with all output that is queued until then.
    case byTheLoop
    /// In a fair turn of the loop, since output has to be compressed: other connections do not wait
    /// while many compress. What is framed already is written before.
    case inFairTurn
  }

  /// Chooses when queued output is written: with few writes, and soon.
  ///
  /// The caller holds the lock, and calls `perform(_:)` after unlocking.
  func chooseFlushTime() -> FlushTime {
    // A large write goes at once: the peer can begin to read, and the buffer stays small.
    let isLarge = session.outputCount >= WriteScheduler.largeWrite
    guard loop.isCurrent else { return writeScheduler.choose(isLarge: isLarge, now: loop.now) }
    return isLarge ? .now : isFlushDue ? .none : .atEndOfTurn
  }

  /// Flushes now, or schedules the flush; the caller does not hold the lock.
  func perform(_ flushTime: FlushTime) {
    switch flushTime {
    case .none: break
    case .now:
      flush()
      if loop.isCurrent { flushAtEndOfTurn() }
    case .atEndOfTurn: flushAtEndOfTurn()
    case .byTheLoop: loop.execute { self.flushAndUpdateReading() }
    case .inFairTurn:
      loop.execute {
        self.flushAndUpdateReading()
        self.loop.executeFairly { self.flushAndUpdateReading(inTurn: true) }
      }
    }
  }

  func flushAtEndOfTurn() {
    if isFlushDue { return }
    isFlushDue = true
    loop.endOfTurn(self)
  }

  func turnEnded() {
    isFlushDue = false
    bytesInTurn = 0
    flushAndUpdateReading()
    guard isFirstFlushDue else { return }
    // The memory of the handshake is freed after its last bytes are written.
    isFirstFlushDue = false
    lock.withLock { session.codec.releaseIdleMemory() }
  }

  /// Writes queued output, admits waiting senders and updates reading.
  ///
  /// Called on the loop. Every read calls it once, so without waiting senders it takes the lock twice:
  /// before the write and after it.
  func flushAndUpdateReading(inTurn: Bool = false) {
    if let measured = flush(inTurn: inTurn, byLoop: true) {
      streams.emit(isWritable: measured.isWritable)
      apply(measured.reading)
    } else {
      admitSenders()
      updateReading()
    }
  }

  private func admitSenders() {
    let admitted = lock.withLock { admit() }
    for (send, _) in admitted { tapSent(send) }
    if !admitted.isEmpty { flush() }
    for (_, continuation) in admitted { continuation.resume() }
    let isWritable = lock.withLock {
      writeScheduler.noteMeasured(isFull: isQueueFull)
      return session.isWritable
    }
    // The transport took the output at once, so it will not report room. Senders that still wait
    // need another flush.
    if !admitted.isEmpty, isWritable { loop.execute { self.flushAndUpdateReading() } }
    streams.emit(isWritable: isWritable)
  }

  /// What a flush of the loop finds under the lock.
  struct Measured {
    let isWritable: Bool
    let reading: MeasuredReading
  }

  /// What is left after a flush of the loop; nil if senders may wait, which are to be admitted first.
  ///
  /// The caller holds the lock, and is on the loop.
  private func measure() -> Measured? {
    if tasks != nil { return nil }
    writeScheduler.noteMeasured(isFull: isQueueFull)
    return Measured(isWritable: session.isWritable, reading: measureReading())
  }

  /// Whether queued output keeps senders waiting; the caller holds the lock.
  private var isQueueFull: Bool { !session.isWritable || tasks?.hasSends == true }

  /// Writes queued output until the transport takes no more, unless another thread is writing.
  ///
  /// The caller does not hold the lock. A transport calls no callback from within `write`.
  ///
  /// - Parameters:
  ///   - inTurn: whether this is the fair turn requested by `.inFairTurn`; flushes before it only
  ///     write what is already framed
  ///   - byLoop: whether the loop flushes for all senders, and wants to know what is left
  /// - Returns: what is left after a flush of the loop; nil if senders may wait for room.
  @discardableResult
  func flush(inTurn: Bool = false, byLoop: Bool = false) -> Measured? {
    lock.lock()
    if byLoop { writeScheduler.loopFlushBegan(now: loop.now) }
    if inTurn { writeScheduler.isTurnDue = false }
    guard let transport, session.shutdown != .abort, !writeScheduler.isWriting else {
      if session.hasOutput { writeScheduler.requestLoopFlush() }
      defer { lock.unlock() }
      return byLoop ? measure() : nil
    }
    if byLoop, !session.hasOutput, session.shutdown == nil {
      // The usual end of a turn in which nothing was sent.
      defer { lock.unlock() }
      return measure()
    }
    writeScheduler.isWriting = true
    // Memory that the session does not take back is freed after unlocking.
    var output = OutputBuffer()
    let mayFrame = !writeScheduler.isTurnDue
    var writes = 0
    var isTaken = true
    // A long message is framed and written in fragments.
    var hasMore = true
    while isTaken, hasMore, mayFrame ? session.hasOutput : session.outputCount > 0,
      writes < WriteScheduler.mostWrites(needsCompression: session.needsCompression)
    {
      output = session.beginWrite()
      hasMore = mayFrame && session.isFraming
      lock.unlock()
      let count = output.count
      let written = output.withReadableParts { transport.write($0, $1) }
      isTaken = written == count
      lock.lock()
      session.endWrite(&output, written: written, mayFrame: mayFrame)
      // What another thread sent meanwhile.
      hasMore = hasMore || mayFrame && session.isFraming
      writes += 1
    }
    let isStuck = !isTaken && isWatchDue(.writing)
    if session.shutdown != nil, session.outputCount == 0 {
      lock.unlock()
      transport.closeWriting()
      lock.lock()
    }
    let next = writeScheduler.ended(
      byLoop: loop.isCurrent,
      isFull: isQueueFull,
      isUnfinished: mayFrame && isTaken && hasMore && session.hasOutput,
      needsCompression: session.needsCompression
    )
    let measured = byLoop ? measure() : nil
    lock.unlock()
    if isStuck { watch(.writing) }
    perform(next)
    return measured
  }
}
