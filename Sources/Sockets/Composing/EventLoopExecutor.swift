/// Reduces on the thread that all sockets deliver on: what a socket sends is reduced without a hop.
///
/// ```swift
/// let session = Composed(sending: Session(), on: .socketLoop)
/// ```
///
/// The thread serves every socket of the process: a reducer must not block there.
public final class EventLoopExecutor: ComposeExecutor {
  /// The one there is.
  public static let shared = EventLoopExecutor()

  /// Whether this is the sockets' thread.
  public var isCurrent: Bool { EventLoop.shared.isCurrent }
  /// Runs `job` on the sockets' thread.
  public func enqueue(_ job: @escaping @Sendable () -> Void) { EventLoop.shared.execute(job) }
  /// The global queue's clock.
  public var scheduler: any SchedulerType { CallerRunsExecutor.callerRuns.scheduler }
}

extension ComposeExecutor where Self == EventLoopExecutor {
  /// The thread that all sockets deliver on.
  public static var socketLoop: EventLoopExecutor { .shared }
}
