/// RxSwift's current-thread scheduler: what is scheduled while something runs waits its turn.
package enum Trampoline {
  // Used by one run at a time: `Scenario.runByReference` takes turns.
  private nonisolated(unsafe) static var waiting: [() -> Void] = []
  private nonisolated(unsafe) static var isRunning = false

  /// Runs `body` now, and what it schedules, unless something outside of it does that.
  package static func enter<Result>(_ body: () -> Result) -> Result {
    if isRunning { return body() }
    isRunning = true
    let result = body()
    while !waiting.isEmpty { waiting.removeFirst()() }
    isRunning = false
    return result
  }

  /// Runs `work` when what is running has returned, and what was scheduled before.
  package static func schedule(_ work: @escaping () -> Void) {
    if isRunning { waiting.append(work) } else { enter(work) }
  }
}
