/// How bytes leave: with few writes, soon, and outside of the lock.
///
/// One at a time takes the output out of the session, writes it unlocked, and gives back what the
/// transport did not take:
///
/// | who comes meanwhile                 | what happens                                            |
/// | ----------------------------------- | ------------------------------------------------------- |
/// | somebody who sends                  | the bytes go behind those that are being written        |
/// | somebody who would write them       | leaves it to the loop, which comes after this write     |
/// | the transport, which has room again | the same: this write may have been turned away before   |
/// | the loop, which judges the queue    | counts what is being written; if too much, comes again  |
/// | somebody who closes                 | the close frame goes behind; the half close waits       |
///
/// The queue may be too full also because somebody has put bytes there and is about to write them. So
/// what the loop found is kept until the next write has ended.
struct WriteScheduler {
  // The driver's lock protects all of it.

  /// Whether somebody is writing what was taken out of the session.
  fileprivate(set) var isWriting = false
  /// Whether the loop is to come once that is written.
  private var isLoopWanted = false
  /// Whether the loop found the queue too full, when it looked last.
  private var isFull = false
  /// Whether the loop will come.
  private var isScheduled = false
  /// When what another thread sent was written last, by the system's clock.
  private var lastWrite: UInt64 = 0

  // A little less than the output keeps, so that small messages do not make it grow past that.
  fileprivate static let largeWrite = OutputBuffer.retainedCapacity - 4096
  /// How many times one flush asks for more fragments of a long message.
  fileprivate static let mostRounds = 16
  /// The same while a long message is compressed, which takes up to 2 ms each time.
  fileprivate static let mostCompressingRounds = 2
  /// Who sends again within 10 us is in the middle of many: too soon for a peer to have answered.
  private static let burst: UInt64 = 10_000

  /// How bytes leave that another thread sent.
  fileprivate mutating func choose(isLarge: Bool) -> ConnectionDriver.FlushTime {
    if isScheduled { return isLarge ? .now : .none }
    // Whoever sends many from another thread pays for one write and one wake-up, not for one each.
    let now = MonotonicClock.now
    guard isLarge || now - lastWrite >= Self.burst else {
      isScheduled = true
      return .byTheLoop
    }
    lastWrite = now
    return .now
  }

  /// The loop has come.
  fileprivate mutating func loopCame() {
    guard isScheduled else { return }
    isScheduled = false
    lastWrite = MonotonicClock.now
  }

  /// The loop is to come once what is being written is written, if anything is.
  mutating func wantLoop() {
    if isWriting { isLoopWanted = true }
  }

  /// The loop has judged by how much is in the queue, written in this moment or about to be.
  mutating func noteJudged(isFull: Bool) {
    if isFull { self.isFull = true }
  }

  fileprivate mutating func began() { isWriting = true }

  /// What was taken out is written; true when the loop is to be asked to come.
  ///
  /// - Parameter byLoop: Whether it was the loop, which lets others send after that, and judges anew.
  fileprivate mutating func ended(byLoop: Bool) -> Bool {
    defer { (isWriting, isLoopWanted, isFull) = (false, false, false) }
    guard isLoopWanted || isFull && !byLoop, !isScheduled else { return false }
    isScheduled = true
    return true
  }
}

extension ConnectionDriver {
  /// How what was put into the output leaves.
  enum FlushTime {
    /// The loop comes anyway.
    case none
    /// At once, by who sent it.
    case now
    /// With all that is sent in this turn of the loop.
    case atEndOfTurn
    /// With all that is sent until the loop gets to it.
    case byTheLoop
  }

  /// How what was put into the output is to leave: with few writes, and soon.
  ///
  /// The caller holds the lock, and calls `see(_:)` after unlocking.
  func scheduleFlush() -> FlushTime {
    // A large write goes at once: then the peer can begin to read, and the buffer stays small.
    let isLarge = session.outputCount >= WriteScheduler.largeWrite
    guard loop.isCurrent else { return writeScheduler.choose(isLarge: isLarge) }
    return isLarge ? .now : isFlushDue ? .none : .atEndOfTurn
  }

  /// Brings a flushTime about.
  func perform(_ flushTime: FlushTime) {
    switch flushTime {
    case .none: break
    case .now:
      flush()
      if loop.isCurrent { flushAtEndOfTurn() }
    case .atEndOfTurn: flushAtEndOfTurn()
    case .byTheLoop: loop.execute { self.flushAndBalance() }
    }
  }

  func flushAtEndOfTurn() {
    if isFlushDue { return }
    isFlushDue = true
    loop.endOfTurn { [self] in
      isFlushDue = false
      flushAndBalance()
    }
  }

  /// Writes what waits, lets those send who wait for room, and says whether there is room.
  ///
  /// On the loop.
  func flushAndBalance() {
    lock.withLock { writeScheduler.loopCame() }
    flush()
    let admitted = lock.withLock { admit() }
    if !admitted.isEmpty { flush() }
    for continuation in admitted { continuation.resume() }
    let isWritable = lock.withLock {
      writeScheduler.noteJudged(isFull: isPressed)
      return session.isWritable
    }
    // The transport has taken it at once, and will not say that there is room for those who still wait.
    if !admitted.isEmpty, isWritable { loop.execute { self.flushAndBalance() } }
    streams.emit(isWritable: isWritable)
    balance()
  }

  /// Whether what waits keeps others from sending; the caller holds the lock.
  private var isPressed: Bool { !session.isWritable || tasks?.hasSends == true }

  /// Writes what waits, as far as the transport takes it, unless somebody is writing.
  ///
  /// The caller does not hold the lock. A transport calls nobody back from this.
  func flush() {
    lock.lock()
    guard let transport, !writeScheduler.isWriting else {
      if session.outputCount > 0 { writeScheduler.wantLoop() }
      return lock.unlock()
    }
    // What is left of its memory goes when it is unlocked.
    var output = OutputBuffer()
    writeScheduler.began()
    var rounds = 0
    var isTaken = true
    // A long message leaves in fragments.
    var hasMore = true
    while session.hasOutput, isTaken, hasMore,
      rounds
        < (session.isCompressing ? WriteScheduler.mostCompressingRounds : WriteScheduler.mostRounds)
    {
      output = session.lend()
      hasMore = session.isFraming
      lock.unlock()
      let count = output.count
      let written = output.withReadableBytes { transport.write($0) }
      isTaken = written == count
      lock.lock()
      session.takeBack(&output, written: written)
      rounds += 1
    }
    let isStuck = !isTaken && isWatchDue(.writing)
    let isUnfinished = isTaken && hasMore && session.hasOutput
    let isCompressing = session.isCompressing
    if session.shutdown != nil, session.outputCount == 0 {
      lock.unlock()
      transport.closeWriting()
      lock.lock()
    }
    let byLoop = loop.isCurrent
    // To let those send who wait, and to tell the pressure, is the loop's.
    if !byLoop, isPressed || isUnfinished { writeScheduler.wantLoop() }
    let isLoopAsked = writeScheduler.ended(byLoop: byLoop)
    lock.unlock()
    if isStuck { watch(.writing) }
    if isLoopAsked || isUnfinished && byLoop { flushLater(isCompressing: isCompressing) }
  }

  private func flushLater(isCompressing: Bool) {
    guard isCompressing else { return loop.execute { self.flushAndBalance() } }
    // Other connections do not wait while many compress.
    loop.execute { self.loop.executeFairly { self.flushAndBalance() } }
  }
}
