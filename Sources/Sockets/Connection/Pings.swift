#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ConnectionDriver {
  /// Sends a ping, and returns the time until its pong arrives.
  func ping() async throws -> Duration {
    try Task.checkCancellation()
    let task = WaitingTask<Duration>()
    return try await task.wait(
      begin: { wait(task, $0) },
      cancelled: {
        self.lock.withLock { task.cancel() }?.resume(throwing: CancellationError())
      }
    )
  }

  private func wait(
    _ task: WaitingTask<Duration>,
    _ continuation: WaitingTasks<PingLedger.Sent, Duration>.Continuation
  ) {
    let now = clock.now
    let result = lock.withLock {
      Result {
        try Task.checkCancellation()
        let tasks = madeTasks()
        // Numbered under the lock, in the order of sending: a pong answers all lower numbers.
        let ping = tasks.pings.make(at: now)
        try session.send { connection throws(SendError) in try connection.ping(ping.payload) }
        tasks.pings.expect(ping, by: task, continuation)
        return scheduleFlush()
      }
    }
    switch result {
    case .failure(let error): continuation.resume(throwing: error)
    case .success(let flushTime): perform(flushTime)
    }
  }

  /// Resumes the tasks that a pong answers, and calls the observer; on the loop.
  func answerPings(_ payload: Data) {
    guard lock.withLock({ tasks != nil }) else { return }
    let now = clock.now
    let (answered, observer) = lock.withLock {
      (tasks?.pings.receive(payload, at: now) ?? [], tasks?.pings.observer)
    }
    for (continuation, roundTrip) in answered { continuation.resume(returning: roundTrip) }
    observer?(payload)
  }

  /// Sends the keepalive's ping, whose pong no task waits for; on the loop.
  func sendKeepalivePing() {
    let now = clock.now
    let flushTime = lock.withLock {
      let tasks = madeTasks()
      let ping = tasks.pings.make(at: now)
      // A closing connection needs no keepalive, so the error is ignored.
      try? session.send { connection throws(SendError) in try connection.ping(ping.payload) }
      tasks.pings.note(ping)
      return scheduleFlush()
    }
    perform(flushTime)
  }
}
