/// Tasks that wait, each with what it asks for: first come, first served.
///
/// A plain value, of one word until somebody waits; whoever owns it protects it, and resumes what it gives
/// out after unlocking.
struct WaitingTasks<Request: Sendable, Answer: Sendable> {
  typealias Continuation = CheckedContinuation<Answer, any Error>

  private struct Line {
    // Those that were cancelled may still stand in it.
    var queue = Fifo<(request: Request, task: WaitingTask<Answer>)>()
    /// So many, and it is looked for those that were cancelled.
    var limit = leastLimit

    /// What the first one asks for that still waits.
    mutating func first() -> Request? {
      while let (request, task) = queue.first {
        if task.isWaiting { return request }
        _ = queue.popFirst()
      }
      return nil
    }

    /// Leaves out those that were cancelled; as many adds come before the next time as there are tasks.
    mutating func compact() {
      var left = Fifo<(request: Request, task: WaitingTask<Answer>)>()
      while let waiting = queue.popFirst() {
        if waiting.task.isWaiting { left.append(waiting) }
      }
      queue = left
      limit = max(leastLimit, 2 * left.count)
    }
  }

  /// Kept from the first one on: who waits once waits again.
  private var line = Boxed<Line>()

  private static var leastLimit: Int { 8 }

  /// What the first one asks for; nil when nobody waits.
  mutating func first() -> Request? {
    var first: Request?
    line.update { first = $0.first() }
    return first
  }

  /// Puts a task at the end, with what it asks for.
  mutating func add(
    _ request: Request, for task: WaitingTask<Answer>, _ continuation: Continuation
  ) {
    task.continuation = continuation
    if line.isNone { line.value = Line() }
    line.update { line in
      // Whoever tries again and again, with a time limit each time, leaves no line of cancelled ones.
      if line.first() != nil, line.queue.count >= line.limit { line.compact() }
      line.queue.append((request, task))
    }
  }

  /// Takes the first one out.
  mutating func popFirst() -> (request: Request, continuation: Continuation)? {
    var first: (request: Request, continuation: Continuation)?
    line.update { line in
      while first == nil, let (request, task) = line.queue.popFirst() {
        first = task.cancel().map { (request, $0) }
      }
    }
    return first
  }

  /// Takes all of them out.
  mutating func removeAll() -> [Continuation] {
    var all: [Continuation] = []
    while let (_, continuation) = popFirst() { all.append(continuation) }
    return all
  }
}

/// One task that waits.
final class WaitingTask<Answer: Sendable>: @unchecked Sendable {
  // `continuation` is protected by whatever protects the queue.
  fileprivate var continuation: CheckedContinuation<Answer, any Error>?

  fileprivate var isWaiting: Bool { continuation != nil }

  /// Leaves the queue; nil when somebody else has answered, or nobody waits yet.
  ///
  /// To be called with the queue protected.
  func cancel() -> CheckedContinuation<Answer, any Error>? { continuation.take() }

  /// Suspends until the continuation is resumed that `begin` is given.
  ///
  /// `begin` protects the queue and adds the task to it, unless the current task is cancelled: from
  /// there on `cancelled`, which may come earlier, finds it.
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
