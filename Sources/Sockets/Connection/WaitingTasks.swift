/// A queue of waiting tasks with their requests: first in, first out.
///
/// A plain value of one word until a task waits. The owner protects it with a lock, and resumes the
/// continuations that it returns after unlocking.
struct WaitingTasks<Request: Sendable, Answer: Sendable> {
  typealias Continuation = CheckedContinuation<Answer, any Error>

  private struct Line {
    // Tasks that were cancelled stay in the queue until `compact` or until they are first.
    var queue = Fifo<(request: Request, task: WaitingTask<Answer>)>()
    /// The length at which cancelled tasks are removed.
    var limit = leastLimit

    /// The request of the first task that still waits.
    mutating func first() -> Request? {
      while let (request, task) = queue.first {
        if task.isWaiting { return request }
        _ = queue.popFirst()
      }
      return nil
    }

    /// Removes cancelled tasks.
    ///
    /// The new limit is twice the rest, so an add costs constant time on average.
    mutating func compact() {
      var left = Fifo<(request: Request, task: WaitingTask<Answer>)>()
      while let waiting = queue.popFirst() {
        if waiting.task.isWaiting { left.append(waiting) }
      }
      queue = left
      limit = max(leastLimit, 2 * left.count)
    }
  }

  /// Kept once created, since a sender that waited once is likely to wait again.
  private var line = Boxed<Line>()

  private static var leastLimit: Int { 8 }

  /// The request of the first task; nil when no task waits.
  mutating func first() -> Request? {
    var first: Request?
    line.update { first = $0.first() }
    return first
  }

  /// Appends a task and its request to the queue.
  mutating func add(
    _ request: Request, for task: WaitingTask<Answer>, _ continuation: Continuation
  ) {
    task.continuation = continuation
    if line.isNone { line.value = Line() }
    line.update { line in
      // Repeated calls with a time limit must not fill the queue with cancelled tasks.
      if line.first() != nil, line.queue.count >= line.limit { line.compact() }
      line.queue.append((request, task))
    }
  }

  /// Removes the first task that still waits.
  mutating func popFirst() -> (request: Request, continuation: Continuation)? {
    var first: (request: Request, continuation: Continuation)?
    line.update { line in
      while first == nil, let (request, task) = line.queue.popFirst() {
        first = task.cancel().map { (request, $0) }
      }
    }
    return first
  }

  /// Removes all tasks.
  mutating func removeAll() -> [Continuation] {
    var all: [Continuation] = []
    while let (_, continuation) = popFirst() { all.append(continuation) }
    return all
  }
}

/// A task that waits.
final class WaitingTask<Answer: Sendable>: @unchecked Sendable {
  // The lock that protects the queue protects `continuation`.
  fileprivate var continuation: CheckedContinuation<Answer, any Error>?

  fileprivate var isWaiting: Bool { continuation != nil }

  /// Removes the task from the queue; nil when it was resumed already, or does not wait yet.
  ///
  /// The caller holds the lock that protects the queue.
  func cancel() -> CheckedContinuation<Answer, any Error>? { continuation.take() }

  /// Suspends until the continuation that `begin` receives is resumed.
  ///
  /// `begin` adds the task to the queue under the queue's lock, unless the current task is
  /// cancelled. `cancelled` may run before that and then finds no task in the queue, so `begin` has
  /// to check for cancellation under the lock.
  func wait(
    isolation: isolated (any Actor)? = #isolation,
    begin: (CheckedContinuation<Answer, any Error>) -> Void,
    cancelled: @escaping @Sendable () -> Void
  ) async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { begin($0) }
    } onCancel: {
      cancelled()
    }
  }
}
