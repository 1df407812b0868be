/// Disposes of a disposable on a scheduler.
public final class ScheduledDisposable: Cancelable {
  /// The scheduler that performs the disposal.
  public let scheduler: any ImmediateSchedulerType
  private let target: any Cancelable

  /// Creates an object that disposes of `disposable` on `scheduler`.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    target = Disposables.create(with: disposable.dispose)
  }

  /// Whether the scheduler has disposed of the disposable.
  public var isDisposed: Bool { target.isDisposed }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(target) {
      $0.dispose()
      return Disposables.create()
    }
  }
}
