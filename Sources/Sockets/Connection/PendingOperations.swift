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
    case fragment(Opcode, Data, isFirst: Bool, isFinal: Bool)

    /// Whether it continues a message that has begun.
    fileprivate var isContinuation: Bool {
      if case .fragment(_, _, isFirst: false, _) = self { true } else { false }
    }
  }

  /// Whole messages, and the first fragments of messages.
  var sends = WaitingTasks<Send, Void>()
  /// Further fragments of the message that has begun.
  var fragments = WaitingTasks<Send, Void>()
  var pings = PingLedger()

  /// Whether a task waits to send.
  var hasSends: Bool { sends.first() != nil || fragments.first() != nil }
}

extension ConnectionDriver {
  /// Creates the waiting tasks' storage on first use; the caller holds the lock.
  func madeTasks() -> PendingOperations {
    let made = tasks ?? PendingOperations()
    tasks = made
    return made
  }

  /// Suspends the current task until its continuation is resumed or the task is cancelled.
  ///
  /// - Parameter enqueue: adds the task to a queue, under the lock, and returns when output is
  ///   written.
  private func suspend<Answer: Sendable>(
    enqueue: (
      PendingOperations, WaitingTask<Answer>, CheckedContinuation<Answer, any Error>
    ) throws -> FlushTime
  ) async throws -> Answer {
    let task = WaitingTask<Answer>()
    return try await task.wait(
      begin: { continuation in
        let result = lock.withLock {
          Result {
            try Task.checkCancellation()
            return try enqueue(madeTasks(), task, continuation)
          }
        }
        switch result {
        case .failure(let error): continuation.resume(throwing: error)
        case .success(let flushTime): perform(flushTime)
        }
      },
      cancelled: {
        self.lock.withLock { task.cancel() }?.resume(throwing: CancellationError())
      }
    )
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
}

// MARK: - Sending

extension ConnectionDriver {
  /// Sends when there is room and all tasks that waited before have sent.
  ///
  /// A task that is cancelled before that sends nothing.
  func sendWhenWritable(_ send: PendingOperations.Send) async throws {
    try Task.checkCancellation()
    let flushTime = try lock.withLock { () throws(WebSocketError) -> FlushTime? in
      guard session.state == .connected else { throw .notConnected(session.state) }
      let isNext =
        send.isContinuation || !session.codec.isSendingFragments && tasks?.sends.first() == nil
      guard session.isWritable, isNext else { return nil }
      try put(send)
      return chooseFlushTime()
    }
    if let flushTime {
      tapSent(send)
      perform(flushTime)
    } else {
      try await waitToSend(send)
    }
  }

  /// Reports a whole message to the tools, before its last part is written: the answer comes later.
  func tapSent(_ send: PendingOperations.Send) {
    guard SocketTaps.areObserved else { return }
    switch send {
    case .message(let message): tap(.sent(message))
    case .fragment(let opcode, let data, let isFirst, let isFinal):
      let message = SocketTaps.message(
        completedBy: data, isText: opcode == .text, isFirst: isFirst, isFinal: isFinal, of: self)
      if let message { tap(.sent(message)) }
    }
  }

  private func waitToSend(_ send: PendingOperations.Send) async throws {
    try await suspend { tasks, task, continuation in
      guard session.state == .connected else { throw WebSocketError.notConnected(session.state) }
      if send.isContinuation {
        tasks.fragments.add(send, for: task, continuation)
      } else {
        tasks.sends.add(send, for: task, continuation)
      }
      // If the output was written meanwhile, no other flush is due that would admit this task.
      return .byTheLoop
    }
  }

  /// Appends to the session's output; the caller holds the lock.
  private func put(_ send: PendingOperations.Send) throws(WebSocketError) {
    switch send {
    case .message(let message): try session.send(message)
    case .fragment(let opcode, let data, _, let isFinal):
      try session.sendFragment(opcode, data, isFinal: isFinal)
    }
  }

  /// Sends for waiting tasks while there is room.
  ///
  /// Returns what was sent, and the continuations to resume after unlocking.
  ///
  /// The caller holds the lock.
  func admit() -> [(
    send: PendingOperations.Send, continuation: CheckedContinuation<Void, any Error>
  )] {
    guard let tasks else { return [] }
    var admitted:
      [(send: PendingOperations.Send, continuation: CheckedContinuation<Void, any Error>)] = []
    while session.state == .connected, session.isWritable {
      let next =
        session.codec.isSendingFragments ? tasks.fragments.popFirst() : tasks.sends.popFirst()
      guard let next else { break }
      // `put` does not throw: a connected session takes messages and fragments.
      try? put(next.request)
      admitted.append((next.request, next.continuation))
    }
    return admitted
  }
}

// MARK: - Pings

extension ConnectionDriver {
  /// Sends a ping, and returns the time until its pong arrives.
  func ping() async throws -> Duration {
    try Task.checkCancellation()
    let now = clock.now
    return try await suspend { tasks, task, continuation in
      // Numbered under the lock, in the order of sending: a pong answers all lower numbers.
      let ping = tasks.pings.make(at: now)
      try session.ping(ping.payload)
      tasks.pings.expect(ping, by: task, continuation)
      return chooseFlushTime()
    }
  }

  /// Sends the keepalive's ping, whose pong no task waits for; on the loop.
  func sendKeepalivePing() {
    let now = clock.now
    let flushTime = lock.withLock {
      let tasks = madeTasks()
      let ping = tasks.pings.make(at: now)
      // A closing connection needs no keepalive, so the error is ignored.
      try? session.ping(ping.payload)
      tasks.pings.note(ping)
      return chooseFlushTime()
    }
    perform(flushTime)
  }

  /// Resumes the tasks that a pong answers, and calls the observer; on the loop.
  func pongArrived(_ payload: Data) {
    guard lock.withLock({ tasks != nil }) else { return }
    let now = clock.now
    let (answered, observer) = lock.withLock {
      (tasks?.pings.receive(payload, at: now) ?? [], tasks?.pings.observer)
    }
    for (continuation, roundTrip) in answered { continuation.resume(returning: roundTrip) }
    observer?(payload)
  }
}
