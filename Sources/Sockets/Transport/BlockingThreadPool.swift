import Reactive

/// Threads for what waits in system calls or takes long, and has no place on an event loop.
///
/// A thread is started when there is something to do, and ends when there is nothing left.
final class BlockingThreadPool: Sendable {
  /// Something to do, and whom to tell when the process may have no more threads.
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
  ///   - name: that of each thread, at most 15 bytes.
  ///   - limit: how many threads there are at once; more jobs wait.
  init(name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Does `run` on one of the threads, or calls `fail` on this one.
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
      // Without a thread nobody will ever do it: all that wait hear why, unless another worker is
      // there to serve them.
      let stranded = state.withLock { state -> [Job] in
        state.workers -= 1
        guard state.workers == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      for job in stranded { job.fail(error) }
    }
  }

  /// Serves until nothing waits.
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
