import Compose
import Reactive

extension Workload {
  /// Actions that wait for a turn of the executor.
  static let waking = [woken]

  /// The same as `twoThreads` on one thread, so that its instructions repeat.
  private static let woken = Workload(
    "compose/woken",
    "one of ten actions that wait for a turn of their executor, which reduces them all",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let executor = TurnExecutor()
    let counter = Composed(sending: Counter(), on: executor)
    return { count in
      for start in stride(from: 0, to: count, by: 10) {
        for _ in start..<min(count, start + 10) { counter.send(.increment) }
        executor.takeTurn()
      }
      return counter.state.count
    }
  } loop: {
    Counter.loop()
  }
}

/// An executor that runs its queued work when `takeTurn` is called.
// Used by one thread.
private final class TurnExecutor: ComposeExecutor, @unchecked Sendable {
  private var jobs: [@Sendable () -> Void] = []

  let isCurrent = false
  let scheduler: any SchedulerType = MainScheduler.instance

  func enqueue(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

  func takeTurn() {
    var turn: [@Sendable () -> Void] = []
    swap(&turn, &jobs)
    for job in turn { job() }
  }
}
