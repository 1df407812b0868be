import Reactive

/// Runs jobs that block or take long, which an event loop may not do.
///
/// A thread starts when there is a job, and ends when there is none left.
final class BlockingThreadPool: Sendable {
  /// The work, and what is called when the system allows no more threads.
  struct Job: Sendable {
    let run: @Sendable () -> Void
    let fail: @Sendable (TransportError) -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var workers = 0
  }

  private let name: String
  private let limit: Int
  private let state = Locked(State())

  /// - Parameters:
  ///   - name: name of each thread, at most 15 bytes
  ///   - limit: most threads at once; further jobs wait
  init(name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Runs `run` on one of the threads, or calls `fail` on the calling thread.
  func perform(
    _ run: @escaping @Sendable () -> Void,
    orFail fail: @escaping @Sendable (TransportError) -> Void
  ) {
    let needsWorker = state.withLock { state in
      state.waiting.append(Job(run: run, fail: fail))
      guard state.workers < limit else { return false }
      state.workers += 1
      return true
    }
    if needsWorker { startWorker() }
  }

  private func startWorker() {
    do throws(TransportError) {
      try SystemThread(name: name) { [self] in work() }.detach()
    } catch {
      // The last worker could not start: all waiting jobs fail, because no thread would run them.
      // While another worker exists, that one runs them.
      let stranded = state.withLock { state -> [Job] in
        state.workers -= 1
        guard state.workers == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      for job in stranded { job.fail(error) }
    }
  }

  /// Runs jobs until none waits.
  private func work() {
    while let job = next() { job.run() }
  }

  private func next() -> Job? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.workers -= 1
      return nil
    }
  }
}
