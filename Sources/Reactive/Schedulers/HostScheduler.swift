/// A scheduler in a subscription of a simulated host, to which only code of the host may deliver.
private final class HostScheduler: ImmediateSchedulerType {
  private let scheduler: any ImmediateSchedulerType
  private let host: HostSystem

  init(_ scheduler: any ImmediateSchedulerType, _ host: HostSystem) {
    (self.scheduler, self.host) = (scheduler, host)
  }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    // On another thread the scheduler would use the real queue.
    guard host.admits("an element is emitted to observe(on:)") else { return Disposables.create() }
    return scheduler.schedule(state, action: action)
  }
}

extension HostSystem {
  /// `scheduler` for a subscription of this host.
  func guarding(_ scheduler: any ImmediateSchedulerType) -> any ImmediateSchedulerType {
    scheduler is DispatchQueueScheduler ? HostScheduler(scheduler, self) : scheduler
  }
}
