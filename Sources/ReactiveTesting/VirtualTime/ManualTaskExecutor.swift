/// Runs jobs of tasks on the caller's thread, in the order in which they became ready.
final class ManualTaskExecutor: TaskExecutor {
  private let jobs = Locked(Fifo<UnownedJob>())
  private let onEnqueue: @Sendable () -> Void

  /// - Parameter onEnqueue: called when a job has become ready, on the thread that made it so.
  init(onEnqueue: @escaping @Sendable () -> Void = {}) { self.onEnqueue = onEnqueue }

  var hasReadyJobs: Bool { !jobs.withLock(\.isEmpty) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    onEnqueue()
  }

  /// Runs the oldest ready job; returns false when no job is ready.
  func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.popFirst() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}
