/// Reduces on the shared event loop, so that actions of client sockets are reduced without a hop.
///
/// ```swift
/// let session = Composed(sending: Session(), on: .socketLoop)
/// ```
///
/// The loop's thread serves every client socket of the process, and servers with one loop: a reducer
/// must not block there.
public final class EventLoopExecutor: ComposeExecutor {
  fileprivate static let shared = EventLoopExecutor()

  /// Whether the current thread is the shared loop's.
  public var isCurrent: Bool { EventLoop.shared.isCurrent }
  /// Runs `job` on the shared loop's thread.
  public func enqueue(_ job: @escaping @Sendable () -> Void) { EventLoop.shared.execute(job) }
  /// The global queue's clock, for delays and timers.
  public var scheduler: any SchedulerType { CallerRunsExecutor.callerRuns.scheduler }
}

extension ComposeExecutor where Self == EventLoopExecutor {
  /// The executor of the shared event loop, on which client sockets deliver.
  public static var socketLoop: EventLoopExecutor { .shared }
}
