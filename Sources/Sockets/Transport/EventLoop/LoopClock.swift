#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Time and delays on a loop: from the loop itself, or from a scheduler instead.
package struct LoopClock: Sendable {
  let loop: EventLoop
  var scheduler: (any SchedulerType)?

  package init(loop: EventLoop, scheduler: (any SchedulerType)? = nil) {
    self.loop = loop
    self.scheduler = scheduler
  }

  /// The time since a fixed moment.
  package var now: Duration {
    guard let scheduler else { return .nanoseconds(Int64(clamping: loop.now)) }
    return .nanoseconds(Int64(bitPattern: scheduler.uptimeNanoseconds))
  }

  /// The time of day, which may jump.
  package var date: Date { scheduler?.now ?? HostSystem.current?.date ?? Date() }

  /// Cancels a wait when disposed of; a class, because `any Disposable` takes five words.
  package class Wait: Disposable, @unchecked Sendable {
    package func dispose() {}
  }

  /// A wait of a scheduler.
  private final class ScheduledWait: Wait, @unchecked Sendable {
    // Immutable.
    private let wait: any Disposable

    init(_ wait: any Disposable) { self.wait = wait }

    override func dispose() { wait.dispose() }
  }

  /// Runs `action` on the loop after `delay`, unless it is disposed of first.
  ///
  /// An action that is due at the moment of disposal may still run.
  package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> Wait {
    if scheduler == nil { return loop.schedule(after: delay, action) }
    let wait = afterAnywhere(delay) { [loop] in loop.execute(action) }
    return ScheduledWait(wait)
  }

  /// Runs `action` after `delay`, unless it is disposed of first.
  ///
  /// It runs where the scheduler runs it; without a scheduler on the loop.
  package func afterAnywhere(
    _ delay: Duration,
    _ action: @escaping @Sendable () -> Void
  ) -> any Disposable {
    guard let scheduler else { return after(delay, action) }
    return scheduler.after(RxTimeInterval(delay), action)
  }

  /// Suspends for `delay`; returns at once when the task is cancelled.
  func sleep(_ delay: Duration) async {
    let wait = Completable.create { [self] completed in
      afterAnywhere(delay) { completed(.completed) }
    }
    try? await wait.value
  }
}
