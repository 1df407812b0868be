/// The executor of a composer that was bound on a simulated host, to which only code of the host may send.
final class HostExecutor: ComposeExecutor {
  private let executor: any ComposeExecutor
  private let host: HostSystem

  init(_ executor: any ComposeExecutor, _ host: HostSystem) {
    (self.executor, self.host) = (executor, host)
  }

  var isCurrent: Bool { host.admits("an action is sent to a composer") && executor.isCurrent }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    if host.admits("an action is sent to a composer") { executor.enqueue(job) }
  }

  var scheduler: any SchedulerType { executor.scheduler }
  var taskExecutor: (any TaskExecutor)? { executor.taskExecutor }
}

extension HostSystem {
  /// `executor` for a composer of this host.
  func guarding(_ executor: any ComposeExecutor) -> any ComposeExecutor {
    HostExecutor(executor, self)
  }
}
