import Foundation
import Testing

/// Runs the tests of a suite on worker threads, a few at a time.
///
/// Swift Testing starts all tests at once on the threads of the task pool, of which there is one per
/// core. Each `await` then queues behind thousands of other tests, and a test that blocks its thread
/// makes it unavailable to all tasks, so deadlines of real time pass without any fault in
/// the code. With this trait
/// - at most `WorkerPool.width` tests run at once, in the order of their start;
/// - each has its own threads, which it may block, so that the task pool stays free: one, and one more
///   for each of its child tasks that runs at the same time; a test of the main actor runs on the main
///   thread, like all of them;
/// - the time limit counts from the moment when the test may run.
///
/// Where a suite and its test both have the trait, that of the suite counts.
public struct WorkerPool: SuiteTrait, TestTrait, TestScoping {
  /// The number of tests that run at once: two per core, because many tests wait most of the time.
  static let width = 2 * ProcessInfo.processInfo.activeProcessorCount

  /// Whether the test runs on a worker thread already, by the trait of an outer suite.
  @TaskLocal private static var isEntered = false

  private static let semaphore = AsyncSemaphore(width)

  /// The time limit of one case of a test in seconds.
  let limit: Double

  /// True: the tests of nested suites run on worker threads too.
  public let isRecursive = true

  /// Waits for a free worker thread and runs `body`, one case of `test`, on it.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing body: @Sendable () async throws -> Void
  ) async throws {
    if Self.isEntered { return try await body() }
    await Self.semaphore.wait()
    defer { Self.semaphore.signal() }
    try await Self.$isEntered.withValue(true) {
      try await withTimeLimit(limit, of: test) {
        let start = ContinuousClock.now
        defer { TestTimes.shared?.record(ContinuousClock.now - start, of: test) }
        try await body()
      }
    }
  }
}

extension Trait where Self == WorkerPool {
  /// Runs each test on a worker thread, a few tests at a time, each case for two minutes at most.
  public static var workerPool: Self { workerPool(limit: 120) }

  /// Runs each test on a worker thread, a few tests at a time.
  ///
  /// - Parameter limit: time limit of one case in seconds; five times as long under sanitizers
  public static func workerPool(limit: Double) -> Self {
    WorkerPool(limit: isSanitized ? 5 * limit : limit)
  }
}

#if SANITIZED
/// Whether the tests run under a sanitizer, several times slower.
public let isSanitized = true
#else
/// Whether the tests run under a sanitizer, several times slower.
public let isSanitized = false
#endif

/// Threads that run the tasks of one test, each of which may block its thread.
private final class WorkerThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A serial queue has its own thread while it has work, also while other threads are blocked (Dispatch
    // makes up to 255). One queue for each task lets child tasks run at the same time.
    DispatchQueue(label: "test").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}

/// Limits the number of concurrent tasks, first in, first out.
private final class AsyncSemaphore: @unchecked Sendable {
  // Protected by `lock`.
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var next = 0
  private let lock = NSLock()

  init(_ count: Int) { free = count }

  /// Waits for a free place.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock {
        if free == 0 {
          waiting.append(continuation)
          return false
        }
        free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Passes the place to the task that has waited longest, if any.
  func signal() {
    let continuation: CheckedContinuation<Void, Never>? = lock.withLock {
      guard next < waiting.count else {
        free += 1
        waiting = []
        next = 0
        return nil
      }
      next += 1
      return waiting[next - 1]
    }
    continuation?.resume()
  }
}

/// Runs `body` on worker threads, records an issue when it takes longer than `seconds`, and cancels it then.
///
/// A test that runs for 20 more seconds ends the process with its name: a blocked thread cannot be
/// cancelled, and the run would hang.
func withTimeLimit(
  _ seconds: Double,
  of test: Test,
  _ body: @Sendable () async throws -> Void
) async throws {
  // Not on the task pool, which may be blocked.
  let deadline = Deadline()
  try await withoutActuallyEscaping(body) { body in
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: WorkerThreads()) {
        // Also when it throws: the group waits for both tasks.
        defer { deadline.cancel() }
        try await body()
      }
      group.addTask {
        guard await deadline.isMissed(after: seconds) else { return }
        Issue.record("still running after \(seconds) s", sourceLocation: test.sourceLocation)
        deadline.endProcess(after: 20, "\(test.name) does not end")
        throw CancellationError()
      }
      // A missed deadline cancels the body. Both are awaited: the deadline may end before the body's error
      // arrives.
      defer { group.cancelAll() }
      for try await _ in group {}
    }
  }
}

/// A deadline of real time with its own thread.
private final class Deadline: @unchecked Sendable {
  // Protected by `queue`.
  private var waiter: CheckedContinuation<Bool, Never>?
  private var isOver = false
  private let queue = DispatchQueue(label: "test deadline")

  /// Returns true after `seconds`, or false when it is cancelled.
  func isMissed(after seconds: Double) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        guard !isOver else { return continuation.resume(returning: false) }
        waiter = continuation
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.answer(true) }
      }
    }
  }

  /// Ends the process after `seconds` unless it is cancelled.
  func endProcess(after seconds: Double, _ reason: String) {
    queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
      if let self, !isOver { fatalError(reason) }
    }
  }

  func cancel() {
    queue.async { [self] in
      isOver = true
      answer(false)
    }
  }

  private func answer(_ isMissed: Bool) {
    waiter.take()?.resume(returning: isMissed)
  }
}
