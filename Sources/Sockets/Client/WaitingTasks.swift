/// Tasks that wait, each with what it asks for: first come, first served.
///
/// Whoever owns it protects it, and resumes what it gives out after unlocking. It is one word until
/// somebody waits; a copy waits in the same line.
struct WaitingTasks<Request: Sendable, Answer: Sendable> {
  typealias Continuation = CheckedContinuation<Answer, any Error>

  private final class Line {
    // Those that were cancelled may still stand in it.
    var queue = Fifo<(request: Request, task: WaitingTask<Answer>)>()
    /// So many, and it is looked for those that were cancelled.
    var limit = leastLimit
  }

  /// Kept from the first one on: who waits once waits again.
  private var line: Line?

  private static var leastLimit: Int { 8 }

  /// What the first one asks for; nil when nobody waits.
  mutating func first() -> Request? {
    guard let line else { return nil }
    while let (request, task) = line.queue.first {
      if task.isWaiting { return request }
      _ = line.queue.popFirst()
    }
    return nil
  }

  /// Puts a task at the end, with what it asks for.
  mutating func add(
    _ request: Request, for task: WaitingTask<Answer>, _ continuation: Continuation
  ) {
    task.continuation = continuation
    let line = self.line ?? Line()
    self.line = line
    // Whoever tries again and again, with a time limit each time, leaves no line of cancelled ones.
    if first() != nil, line.queue.count >= line.limit { compact(line) }
    line.queue.append((request, task))
  }

  /// Leaves out those that were cancelled; as many adds come before the next time as there are tasks.
  private func compact(_ line: Line) {
    var left = Fifo<(request: Request, task: WaitingTask<Answer>)>()
    while let waiting = line.queue.popFirst() {
      if waiting.task.isWaiting { left.append(waiting) }
    }
    line.queue = left
    line.limit = max(Self.leastLimit, 2 * left.count)
  }

  /// Takes the first one out.
  mutating func popFirst() -> (request: Request, continuation: Continuation)? {
    guard let line else { return nil }
    while let (request, task) = line.queue.popFirst() {
      if let continuation = task.cancel() { return (request, continuation) }
    }
    return nil
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
