#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tasks that wait for a WebSocket: made with the first of them, for most WebSockets never.
final class PendingOperations {
  // The driver's lock protects all of it.

  /// What a task has to send.
  enum Send: Sendable {
    case message(WebSocketMessage)
    case fragment(Opcode, Data, isFinal: Bool)
  }

  typealias SendContinuation = WaitingTasks<Send, Void>.Continuation

  /// Messages, and the beginnings of those that come in fragments.
  var sends = WaitingTasks<Send, Void>()
  /// The fragments of the message that has begun.
  var fragments = WaitingTasks<Send, Void>()
  var pings = PingLedger()

  /// Whether some wait to send.
  var hasSends: Bool { sends.first() != nil || fragments.first() != nil }
}

// MARK: - Sending

extension ConnectionDriver {
  /// Sends when there is room, behind all others that wait.
  ///
  /// Cancelled before that, it sends nothing.
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

  /// Nil when there is no room, or when others come first; the caller holds the lock.
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

  /// The caller holds the lock.
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
      // Should the output have gone since, nobody else would look after this task.
      loop.execute { self.flushAndBalance() }
    }
  }

  /// Lets those send who wait, as long as there is room; returns whom to tell after unlocking.
  ///
  /// The caller holds the lock.
  func admit() -> [PendingOperations.SendContinuation] {
    guard let tasks else { return [] }
    var admitted: [PendingOperations.SendContinuation] = []
    while session.state == .connected, session.isWritable {
      let next = session.isMidMessage ? tasks.fragments.popFirst() : tasks.sends.popFirst()
      guard let next else { break }
      // A connected session takes messages and fragments.
      try? put(next.request)
      admitted.append(next.continuation)
    }
    return admitted
  }

  /// Nothing will be sent or answered any more: whoever waits hears why.
  func failTasks() {
    let (sends, pings, state) = lock.withLock {
      let sends = (tasks?.sends.removeAll() ?? []) + (tasks?.fragments.removeAll() ?? [])
      return (sends, tasks?.pings.removeAll() ?? [], session.state)
    }
    let error = WebSocketError.notConnected(state)
    for continuation in sends { continuation.resume(throwing: error) }
    for continuation in pings { continuation.resume(throwing: error) }
  }

  /// The caller holds the lock.
  func madeTasks() -> PendingOperations {
    let made = tasks ?? PendingOperations()
    tasks = made
    return made
  }
}
