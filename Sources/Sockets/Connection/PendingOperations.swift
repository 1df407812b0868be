#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tasks that wait for a WebSocket; created with the first, so most WebSockets have none.
final class PendingOperations {
  // The driver's lock protects every property.

  /// What a waiting task sends.
  enum Send: Sendable {
    case message(WebSocketMessage)
    case fragment(Opcode, Data, isFinal: Bool)
  }

  typealias SendContinuation = WaitingTasks<Send, Void>.Continuation

  /// Whole messages, and the first fragments of messages.
  var sends = WaitingTasks<Send, Void>()
  /// Further fragments of the message that has begun.
  var fragments = WaitingTasks<Send, Void>()
  var pings = PingLedger()

  /// Whether a task waits to send.
  var hasSends: Bool { sends.first() != nil || fragments.first() != nil }
}

// MARK: - Sending

extension ConnectionDriver {
  /// Sends when there is room and all tasks that waited before have sent.
  ///
  /// A task that is cancelled before that sends nothing.
  func sendWhenWritable(_ send: PendingOperations.Send, continuing: Bool = false) async throws {
    try Task.checkCancellation()
    let flushTime = try lock.withLock { () throws(WebSocketError) in
      try sendIfWritable(send, continuing: continuing)
    }
    if let flushTime { return perform(flushTime) }
    let task = WaitingTask<Void>()
    try await task.wait(
      begin: { wait(task, $0, toSend: send, continuing: continuing) },
      cancelled: {
        self.lock.withLock { task.cancel() }?.resume(throwing: CancellationError())
      }
    )
  }

  /// Returns nil when there is no room or another task is first; the caller holds the lock.
  private func sendIfWritable(
    _ send: PendingOperations.Send,
    continuing: Bool
  ) throws(WebSocketError) -> FlushTime? {
    guard session.state == .connected else { throw .notConnected(session.state) }
    let isFirst = continuing || !session.isMidMessage && tasks?.sends.first() == nil
    guard session.isWritable, isFirst else { return nil }
    try put(send)
    return scheduleFlush()
  }

  /// Appends to the connection's output; the caller holds the lock.
  private func put(_ send: PendingOperations.Send) throws(WebSocketError) {
    try session.send { connection throws(SendError) in
      switch send {
      case .message(let message): try connection.send(message)
      case .fragment(let opcode, let data, let isFinal):
        try connection.sendFragment(opcode, data, isFinal: isFinal)
      }
    }
  }

  private func wait(
    _ task: WaitingTask<Void>,
    _ continuation: PendingOperations.SendContinuation,
    toSend send: PendingOperations.Send,
    continuing: Bool
  ) {
    let result = lock.withLock { () -> Result<FlushTime?, any Error> in
      Result {
        try Task.checkCancellation()
        if let flushTime = try sendIfWritable(send, continuing: continuing) {
          return flushTime
        }
        let tasks = madeTasks()
        if continuing {
          tasks.fragments.add(send, for: task, continuation)
        } else {
          tasks.sends.add(send, for: task, continuation)
        }
        return nil
      }
    }
    switch result {
    case .failure(let error): continuation.resume(throwing: error)
    case .success(let flushTime?):
      continuation.resume()
      perform(flushTime)
    case .success(nil):
      // If the output was written meanwhile, no flush is due that would admit this task.
      loop.execute { self.flushAndBalance() }
    }
  }

  /// Sends for waiting tasks while there is room.
  ///
  /// Returns the continuations to resume after unlocking.
  ///
  /// The caller holds the lock.
  func admit() -> [PendingOperations.SendContinuation] {
    guard let tasks else { return [] }
    var admitted: [PendingOperations.SendContinuation] = []
    while session.state == .connected, session.isWritable {
      let next = session.isMidMessage ? tasks.fragments.popFirst() : tasks.sends.popFirst()
      guard let next else { break }
      // `put` does not throw: a connected session takes messages and fragments.
      try? put(next.request)
      admitted.append(next.continuation)
    }
    return admitted
  }

  /// Fails all waiting tasks with `notConnected`: nothing is sent or answered any more.
  func failTasks() {
    let (sends, pings, state) = lock.withLock {
      let sends = (tasks?.sends.removeAll() ?? []) + (tasks?.fragments.removeAll() ?? [])
      return (sends, tasks?.pings.removeAll() ?? [], session.state)
    }
    let error = WebSocketError.notConnected(state)
    for continuation in sends { continuation.resume(throwing: error) }
    for continuation in pings { continuation.resume(throwing: error) }
  }

  /// Creates the waiting tasks' storage on first use; the caller holds the lock.
  func madeTasks() -> PendingOperations {
    let made = tasks ?? PendingOperations()
    tasks = made
    return made
  }
}
