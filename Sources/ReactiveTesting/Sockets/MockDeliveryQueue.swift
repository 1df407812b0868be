/// Runs the deliveries of both endpoints of a mock connection, one at a time.
final class MockDeliveryQueue: Sendable {
  typealias Job = @Sendable () -> Void

  private let afterLatency: @Sendable (@escaping Job) -> Void
  private let queue = Locked((jobs: Fifo<Job>(), isRunning: false))

  /// - Parameter afterLatency: runs a job after the latency of the connection.
  init(afterLatency: @escaping @Sendable (@escaping Job) -> Void) {
    self.afterLatency = afterLatency
  }

  /// Runs `job` now, or after the jobs that are running and queued.
  func run(_ job: @escaping Job) {
    let isFirst = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    guard isFirst else { return }
    while let next = next() { next() }
  }

  /// Runs `job` after the latency.
  func runAfterLatency(_ job: @escaping Job) { afterLatency { self.run(job) } }

  private func next() -> Job? {
    queue.withLock { queue in
      let next = queue.jobs.popFirst()
      queue.isRunning = next != nil
      return next
    }
  }
}
