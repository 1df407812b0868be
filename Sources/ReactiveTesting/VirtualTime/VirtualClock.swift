import Synchronization

/// The clock of a virtual time, before whose moments the thread that advances it waits while the clock is
/// paused.
final class VirtualClock: VirtualTimeScheduler<MicrosecondConverter>, SteppableClock,
  @unchecked Sendable
{
  private struct State {
    var gate = ClockGate()
    /// The number of commands, which end a wait that begins after them too.
    var commandCount = 0
    /// Wakes the thread that waits; nil for none.
    var waiter: BlockingWaiter?
    var isLive = true
    /// Called before a thread waits, on that thread.
    var onWait: (@Sendable () -> Void)?
  }

  /// Whether the clock may move.
  enum Passage: Equatable, Sendable {
    case move(to: Int)
    /// - Parameter commands: the number of commands that the decision knows.
    case wait(commands: Int)
  }

  // The rest has its own lock.
  private let state = Locked(State())
  /// Whether the clock is paused, read without the lock.
  private let mayWait = Atomic(false)
  /// The time of the next work by the last look; `Int.max` for none.
  private let lastNextDue = Atomic(Int.max)

  init() { super.init(initialClock: 0, converter: MicrosecondConverter()) }

  /// Ends the steps: nothing advances the clock any more.
  func end() { state.withLock { $0.isLive = false } }

  /// Calls `body` before a thread waits for a step, on that thread; for tests.
  func setOnWait(_ body: (@Sendable () -> Void)?) { state.withLock { $0.onWait = body } }

  // MARK: For the thread that advances

  /// Decides whether the clock may move to `target`.
  ///
  /// The parameters are those of ``ClockGate/pass(from:to:nextDue:)``.
  func pass(from now: Int, to target: Int, nextDue: Int?) -> Passage {
    lastNextDue.store(nextDue ?? .max, ordering: .relaxed)
    if !mayWait.load(ordering: .relaxed) { return .move(to: target) }
    return state.withLock { state in
      state.gate.pass(from: now, to: target, nextDue: nextDue).map { .move(to: $0) }
        ?? .wait(commands: state.commandCount)
    }
  }

  /// Waits for a command after the given number of them, or for `wake()`.
  ///
  /// - Parameter hasReadyWork: whether work is ready; called when `wake()` already reaches this thread, so
  ///   that none is missed.
  func wait(afterCommands count: Int, unless hasReadyWork: () -> Bool) {
    let waiter = BlockingWaiter()
    let (previous, isOutdated, onWait) = state.withLock { state in
      let previous = state.waiter
      state.waiter = waiter
      return (previous, state.commandCount != count, state.onWait)
    }
    if !isOutdated {
      onWait?()
      if !hasReadyWork() { waiter.waitForSignal() }
    }
    state.withLock { $0.waiter = previous }
    // A wait around this one, in a block of the main queue, looks at the commands of meanwhile.
    previous?.signal()
  }

  /// Wakes the thread that waits, to run work that is ready.
  func wake() {
    if mayWait.load(ordering: .relaxed) { state.withLock { $0.waiter }?.signal() }
  }

  // MARK: For other threads

  var status: SteppableClockStatus {
    let now = clock
    let next = lastNextDue.load(ordering: .relaxed)
    return state.withLock { state in
      SteppableClockStatus(
        isPaused: state.gate.isPaused, isWaiting: state.waiter != nil, elapsed: Self.seconds(now),
        nextDue: next == .max ? nil : Self.seconds(next), isLive: state.isLive)
    }
  }

  func pause() {
    let now = clock
    command { $0.pause(at: now) }
  }

  func resume() { command { $0.resume() } }

  func step(by interval: Duration) {
    let now = clock
    command { $0.step(by: interval.microseconds, at: now) }
  }

  func stepToNext() -> Bool {
    let isNothingDue = state.withLock { state in
      state.gate.isPaused && state.waiter != nil
        && lastNextDue.load(ordering: .relaxed) == .max
    }
    if isNothingDue {
      // Looks again, for work that another thread has scheduled meanwhile.
      wake()
      return false
    }
    command { $0.stepToNext() }
    return true
  }

  private func command(_ change: (inout ClockGate) -> Void) {
    state.withLock { state in
      change(&state.gate)
      state.commandCount += 1
      mayWait.store(state.gate.isPaused, ordering: .relaxed)
      return state.waiter
    }?.signal()
  }

  private static func seconds(_ time: Int) -> Double { Double(time) / 1_000_000 }
}

extension Duration {
  /// The whole microseconds, as a virtual clock counts them.
  var microseconds: Int { Int(RxTimeInterval(self).nanoseconds / 1_000) }
}
