import Foundation

// MARK: - Pings

extension Pump {
  /// Sends a ping, and waits for its pong.
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
        // Numbered where it is sent: a pong answers all pings of lower numbers.
        let ping = tasks.pings.make(at: now)
        try session.send { connection throws(SendError) in try connection.ping(ping.payload) }
        tasks.pings.expect(ping, by: task, continuation)
        return depart()
      }
    }
    switch result {
    case .failure(let error): continuation.resume(throwing: error)
    case .success(let departure): see(departure)
    }
  }

  /// A pong came; on the loop.
  func answerPings(_ payload: Data) {
    guard lock.withLock({ tasks != nil }) else { return }
    let now = clock.now
    let answered = lock.withLock { tasks?.pings.receive(payload, at: now) ?? [] }
    for (continuation, roundTrip) in answered { continuation.resume(returning: roundTrip) }
  }
}

// MARK: - Keepalive, on the loop

extension Pump {
  /// The wait of a keepalive; one closure for all ticks.
  struct Ticking {
    let tick: @Sendable () -> Void
    var timer: any Disposable
  }

  func startKeepalive() {
    guard let keepalive else { return }
    let tick: @Sendable () -> Void = { [weak self] in self?.tick() }
    ticking = Ticking(tick: tick, timer: clock.after(keepalive.plan.interval, tick))
  }

  func stopKeepalive() {
    ticking?.timer.dispose()
    ticking = nil
  }

  private func tick() {
    guard let tick = ticking?.tick, let keepalive else { return }
    switch self.keepalive?.expire(isReading: isReading) {
    case .rest(let wait): ticking?.timer = clock.after(wait, tick)
    case .ping(let wait):
      ticking?.timer = clock.after(wait, tick)
      sendKeepalivePing()
    case .dead: drop { $0.fallSilent(after: keepalive.plan.timeout) }
    case nil: break
    }
  }

  private func sendKeepalivePing() {
    let now = clock.now
    let departure = lock.withLock {
      let tasks = madeTasks()
      let ping = tasks.pings.make(at: now)
      // When it is closing by now, there is nothing to keep alive.
      try? session.send { connection throws(SendError) in try connection.ping(ping.payload) }
      tasks.pings.note(ping)
      return depart()
    }
    see(departure)
  }
}
