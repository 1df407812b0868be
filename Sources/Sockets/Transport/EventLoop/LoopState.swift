/// The pending work of an event loop, and whether its thread is asleep.
///
/// A pure state machine: the loop locks it, changes it, unlocks and acts.
struct LoopState {
  typealias Job = EventLoop.Job

  private enum ThreadState {
    case awake
    case asleep(until: UInt64?)
  }

  enum Phase {
    case running, stopping, stopped
  }

  private(set) var phase = Phase.running
  private var threadState = ThreadState.awake
  private var jobs: [Job] = []
  private var timers = TimerHeap()

  // MARK: From any thread

  /// Adds a job; returns whether the caller must wake the poller: once per sleep.
  mutating func add(_ job: @escaping Job) -> Bool {
    guard phase != .stopped else { return false }
    jobs.append(job)
    return wake()
  }

  /// Adds a timer; returns whether the caller must wake the poller.
  ///
  /// Nil means that the timer is refused: the caller cancels it after unlocking.
  mutating func add(_ timer: LoopTimer, deadline: UInt64) -> Bool? {
    guard phase != .stopped else { return nil }
    timers.insert(timer, deadline: deadline)
    if case .asleep(let until) = threadState, until.map({ deadline < $0 }) ?? true { return wake() }
    return false
  }

  /// Cancels a timer and returns its action, which the caller releases after unlocking.
  mutating func cancel(_ timer: LoopTimer) -> Job? {
    guard let action = timer.takeAction() else { return nil }
    // A timer that was refused is not in the heap.
    if phase != .stopped { timers.noteCancelled() }
    return action
  }

  /// Stops the loop; returns whether the caller must wake the poller.
  mutating func stop() -> Bool {
    guard phase == .running else { return false }
    phase = .stopping
    return wake()
  }

  private mutating func wake() -> Bool {
    guard case .asleep = threadState else { return false }
    threadState = .awake
    return true
  }

  // MARK: On the loop

  /// How long to wait for events; without a time, until woken.
  struct Wait {
    let nanoseconds: UInt64?
  }

  /// Begins to wait for events; nil when the loop was stopped.
  mutating func beginWait(isBusy: Bool, now: () -> UInt64) -> Wait? {
    guard phase == .running else { return nil }
    return Wait(nanoseconds: timeUntilNextTurn(isBusy: isBusy, now: now))
  }

  /// How long to wait for events, in nanoseconds; nil to wait until woken.
  mutating func timeUntilNextTurn(isBusy: Bool, now: () -> UInt64) -> UInt64? {
    guard !isBusy, jobs.isEmpty, phase == .running else { return 0 }
    guard let deadline = timers.earliest() else {
      threadState = .asleep(until: nil)
      return nil
    }
    let now = now()
    guard deadline > now else { return 0 }
    threadState = .asleep(until: deadline)
    return deadline - now
  }

  /// Ends the wait, and returns what is due.
  mutating func endWait(now: () -> UInt64) -> Due {
    // A timer that is due before `until` would have ended the sleep.
    let deadline = if case .asleep(let until) = threadState { until } else { timers.earliest() }
    threadState = .awake
    return Due(timers: deadline.map { $0 <= now() } ?? false, jobs: !jobs.isEmpty)
  }

  /// What the loop has to run after a wait.
  struct Due: Equatable {
    let timers: Bool
    let jobs: Bool
  }

  /// Takes the action of the next due timer, and how late it is in nanoseconds.
  mutating func takeDueAction(now: UInt64) -> (Job, lateness: UInt64)? {
    guard let (timer, deadline) = timers.popDue(now: now), let action = timer.takeAction() else {
      return nil
    }
    return (action, now - deadline)
  }

  /// Takes the jobs; `spare`, which is empty but has capacity, collects the next ones.
  mutating func takeJobs(into spare: inout [Job]) { swap(&jobs, &spare) }

  /// Ends the loop; returns the remaining jobs, and the actions of the timers to release.
  ///
  /// The caller releases the actions after unlocking. The timers do not retain them any more: a
  /// program that keeps a timer does not keep what its action retains.
  mutating func end() -> (jobs: [Job], actions: [Job]) {
    phase = .stopped
    defer { jobs = [] }
    return (jobs, timers.takeActions())
  }
}
