// The runtime passes the jobs of `Task.sleep` to executors that can schedule, by a protocol that is not
// public yet. With other versions a task that has slept is continued by another thread, which is found if
// the simulation has not ended before.
#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
@_spi(ExperimentalScheduling) import _Concurrency
#endif

/// Runs the tasks of a process.
final class SimulatedTasks: TaskExecutor, @unchecked Sendable {
  // The process is used on the thread of the simulation alone, and reports other threads.
  private let reference: ProcessReference
  private let remaining = Locked(Fifo<UnownedJob>())
  // Both are used on the thread of the simulation alone.
  /// The address of the job that runs; nil between jobs.
  private var running: UInt?
  /// Whether the task whose job runs has asked to be continued on another executor than the current one.
  private var isHopping = false

  init(_ reference: ProcessReference) { self.reference = reference }

  /// The tasks of all simulations, by the numbers that the runtime gives them.
  private static let owners = Locked<[UInt64: SimulatedTasks]>([:])

  /// What has run the task of a job; nil for a task of no host, and for a job of an actor.
  static func owner(of job: UnownedJob) -> SimulatedTasks? {
    let number = TaskHooks.taskNumber(of: job)
    return number == 0 ? nil : owners.withLock { $0[number] }
  }

  private func own(_ job: UnownedJob) {
    let number = TaskHooks.taskNumber(of: job)
    if number != 0 { Self.owners.withLock { $0[number] = self } }
  }

  /// Forgets the tasks: the simulation has ended.
  func leave() { Self.owners.withLock { $0 = $0.filter { $0.value !== self } } }

  private var process: SimulatedProcess? { reference.current }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let process, process.isAlive, process.isOnThread(for: "a task is continued") else {
      return keep(job)
    }
    if address(of: job) == running {
      isHopping = true
    } else {
      own(job)
      let waiting = WaitingJob(job, of: self)
      process.enqueueTask { [self] in
        if let job = waiting.take() { run(job) }
      }
    }
  }

  /// A job that waits for its turn; one that loses its turn, because its process ends, remains.
  private final class WaitingJob {
    private var job: UnownedJob?
    private let tasks: SimulatedTasks

    init(_ job: UnownedJob, of tasks: SimulatedTasks) { (self.job, self.tasks) = (job, tasks) }

    func take() -> UnownedJob? { job.take() }

    deinit { if let job { tasks.keep(job) } }
  }

  /// Runs a job, and what follows its hops to other executors.
  ///
  /// All are this one, and the compiler leaves out hops only when it optimizes: no job of another task runs between,
  /// so that a debug build and a release build run the same jobs.
  private func run(_ job: UnownedJob) {
    let outer = running
    running = address(of: job)
    defer { running = outer }
    repeat {
      isHopping = false
      job.runSynchronously(on: asUnownedTaskExecutor())
    } while isHopping
  }

  private func address(of job: UnownedJob) -> UInt {
    // The structure holds the address of the job, which is never followed.
    unsafeBitCast(job, to: UInt.self)
  }

  private func keep(_ job: UnownedJob) { remaining.withLock { $0.append(job) } }

  /// Runs what remains of the tasks of a process that has ended, so that they release what they keep.
  func drain(_ run: (() -> Void) -> Void) {
    // A task that yields again and again never ends.
    for _ in 0..<1_000_000 {
      guard let job = remaining.withLock({ $0.popFirst() }) else { return }
      run { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Reports a task that waits for real time, whose job continues when its process ends.
  ///
  /// Without the time, which the runtime passes less what has passed since the call: another one in each run.
  fileprivate func refuseSleep(_ job: UnownedJob) {
    keep(job)
    guard let process, process.isAlive else { return }
    process.world.fail(
      .unsteered(
        host: process.machine.name,
        "a task sleeps in real time; EffectContext.sleep follows the host's clock"))
  }
}

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
extension SimulatedTasks: SchedulingExecutor {
  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) { refuseSleep(UnownedJob(job)) }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
  ) { refuseSleep(UnownedJob(job)) }
}
#endif
