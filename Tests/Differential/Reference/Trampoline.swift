/// RxSwift's current-thread scheduler: queues work that is scheduled while other work runs.
package enum Trampoline {
  // Used by one run at a time, which `Scenario.runByReference` ensures.
  private nonisolated(unsafe) static var waiting: [() -> Void] = []
  private nonisolated(unsafe) static var isRunning = false

  /// Runs `body` now, then the queued work unless an outer call does that.
  package static func enter<Result>(_ body: () -> Result) -> Result {
    if isRunning { return body() }
    isRunning = true
    let result = body()
    while !waiting.isEmpty { waiting.removeFirst()() }
    isRunning = false
    return result
  }

  /// Runs `work` after the current and the queued work.
  package static func schedule(_ work: @escaping () -> Void) {
    if isRunning { waiting.append(work) } else { enter(work) }
  }
}
