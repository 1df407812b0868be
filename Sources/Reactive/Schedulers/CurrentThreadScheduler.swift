/// Runs work on the current thread, after the work that is running on it.
///
/// This is the trampoline that `of`, `from` and `range` use by default: sources of several elements
/// take turns, and do not run to their end one inside the other.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
  /// The only instance; each thread has its own queue.
  public static let instance = CurrentThreadScheduler()

  private init() {}

  /// Whether no work of this scheduler runs on the current thread, so that new work runs at once.
  public static var isScheduleRequired: Bool { !Trampoline.current.isRunning }

  /// Runs `action` now, or after the work of this scheduler that is running on this thread.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    Trampoline.current.schedule { work.run() }
    return work
  }
}
