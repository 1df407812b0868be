/// Runs work on the current thread, after the work that is running there now.
///
/// This is the trampoline that `of`, `from` and `range` use by default: sources of many elements take
/// turns instead of one running to its end inside the other.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
  /// The scheduler.
  public static let instance = CurrentThreadScheduler()

  private init() {}

  /// Whether nothing scheduled here is running on the current thread, so that the next work would
  /// run at once.
  public static var isScheduleRequired: Bool { !Trampoline.current.isRunning }

  /// Runs `action` now when nothing scheduled here is running on this thread, otherwise after it.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    Trampoline.current.schedule { work.run() }
    return work
  }
}
