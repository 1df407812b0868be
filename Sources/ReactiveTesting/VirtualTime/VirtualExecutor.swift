/// Reduces on the thread of the test.
///
/// Its effects run in virtual time.
///
/// An action from another thread is reduced when the time advances or settles.
public final class VirtualExecutor: ComposeExecutor, ContextualExecutor {
  private let time: VirtualTime

  /// An executor in `time`.
  public init(_ time: VirtualTime) { self.time = time }

  /// Whether the current thread created, advanced or used the time last.
  public var isCurrent: Bool { time.isOnCurrentThread }
  /// Runs `job` when the time advances or settles.
  public func enqueue(_ job: @escaping @Sendable () -> Void) { time.enqueue(job) }
  /// The virtual clock.
  public var scheduler: any SchedulerType { time.scheduler }
  /// Runs tasks when the time advances or settles.
  public var taskExecutor: (any TaskExecutor)? { time.tasks }
  package var context: EffectContext { time.context }
}

extension ComposeExecutor where Self == VirtualExecutor {
  /// Reduces in a test's virtual time.
  public static func virtual(_ time: VirtualTime) -> VirtualExecutor { VirtualExecutor(time) }
}
