/// What an event loop still has to do, and whether its thread is asleep.
///
/// A plain value that decides; the loop locks it, asks, unlocks and acts.
struct LoopState {
  typealias Job = EventLoop.Job

  private enum Attention {
    case awake
    case asleep(until: UInt64?)
  }

  enum Phase {
    case running, stopping, stopped
  }

  private(set) var phase = Phase.running
  private var attention = Attention.awake
  private var jobs: [Job] = []
  private var timers = TimerHeap()

  // MARK: From any thread

  /// Returns whether the poller must be woken: true once per sleep, however many follow.
  mutating func add(_ job: @escaping Job) -> Bool {
    guard phase != .stopped else { return false }
    jobs.append(job)
    return wake()
  }

  /// Returns whether the poller must be woken; nil when the timer is refused, whose action is then to
  /// be cancelled after unlocking.
  mutating func add(_ timer: LoopTimer, deadline: UInt64) -> Bool? {
    guard phase != .stopped else { return nil }
    timers.insert(timer, deadline: deadline)
    if case .asleep(let until) = attention, until.map({ deadline < $0 }) ?? true { return wake() }
    return false
  }

  /// Returns the action, to be released after unlocking.
  mutating func cancel(_ timer: LoopTimer) -> Job? {
    guard let action = timer.takeAction() else { return nil }
    // One that was refused is not among them.
    if phase != .stopped { timers.noteCancelled() }
    return action
  }

  /// Returns whether the poller must be woken.
  mutating func stop() -> Bool {
    guard phase == .running else { return false }
    phase = .stopping
    return wake()
  }

  private mutating func wake() -> Bool {
    guard case .asleep = attention else { return false }
    attention = .awake
    return true
  }

  // MARK: On the loop

  /// How long to wait for events, in nanoseconds; nil is until woken.
  mutating func timeUntilNextDeadline(now: () -> UInt64) -> UInt64? {
    guard jobs.isEmpty, phase == .running else { return 0 }
    guard let deadline = timers.earliest() else {
      attention = .asleep(until: nil)
      return nil
    }
    let now = now()
    guard deadline > now else { return 0 }
    attention = .asleep(until: deadline)
    return deadline - now
  }

  /// Returns whether there are timers, due or not.
  mutating func resume() -> Bool {
    attention = .awake
    return timers.count > 0
  }

  /// The action of a timer that is due, and by how much it is late, in nanoseconds.
  mutating func takeDueAction(now: UInt64) -> (Job, lateness: UInt64)? {
    guard let (timer, deadline) = timers.popDue(now: now), let action = timer.takeAction() else {
      return nil
    }
    return (action, now - deadline)
  }

  /// Takes the jobs there are, leaving `spare` (empty, with capacity) to collect the next.
  mutating func takeJobs(into spare: inout [Job]) { swap(&jobs, &spare) }

  /// Returns the jobs that are left, and the actions that will not happen any more, to be released
  /// after unlocking.
  ///
  /// The timers let go of them: whoever keeps a timer does not keep what its action retains.
  mutating func end() -> (jobs: [Job], actions: [Job]) {
    phase = .stopped
    defer { jobs = [] }
    return (jobs, timers.takeActions())
  }
}
