import Dispatch
import Synchronization

/// Runs the tasks that are started while a blocking function occupies a thread of the task pool.
///
/// The pool has one thread per core and adds none when they are blocked: tests that block on all of
/// them would wait for tasks that cannot run. While any thread of the pool is known to be blocked,
/// new tasks of this package run here, on as many threads as they need.
package final class ReserveExecutor: TaskExecutor {
  private static let shared = ReserveExecutor()
  private static let blockedThreads = Atomic(0)

  private let queue = DispatchQueue(label: "rx.reserve_executor", attributes: .concurrent)

  /// What a new task prefers: nil, the task pool, while none of its threads is known to be blocked.
  package static var preference: (any TaskExecutor)? {
    blockedThreads.load(ordering: .relaxed) > 0 ? shared : nil
  }

  /// Calls `body`, which may block the calling thread until tasks have run that it starts.
  package static func whileBlocking<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isTask = withUnsafeCurrentTask { $0 != nil }
    guard isTask else { return try body() }
    blockedThreads.add(1, ordering: .relaxed)
    defer { blockedThreads.subtract(1, ordering: .relaxed) }
    return try body()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
