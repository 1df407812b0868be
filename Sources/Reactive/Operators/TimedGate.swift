/// A gate with one timer: setting it replaces the one before.
@usableFromInline final class TimedGate: Gate, @unchecked Sendable {
  // Touched only inside the gate, where a timer that fires at once waits until it is in its place.
  // Numbers the timers: one that had begun to fire when it was replaced is told by its number.
  @exclusivity(unchecked) private var current = 0
  private let timer = SerialDisposable()
  private let scheduler: any SchedulerType

  init(_ scope: Lifetime, _ scheduler: any SchedulerType) {
    self.scheduler = scheduler
    super.init(scope)
    scope.add(timer)
  }

  /// Runs `action` inside after `dueTime`, and nothing that was to be run before.
  func after(_ dueTime: RxTimeInterval, _ action: @escaping () -> Void) {
    run(dueTime) { dueTime in
      self.current &+= 1
      let number = self.current
      self.timer.disposable = self.scheduler.after(dueTime) {
        self.run(number) { if $0 == self.current { action() } }
      }
    }
  }

  /// Drops what was to be run.
  func cancel() {
    current &+= 1
    timer.disposable = Disposables.create()
  }
}
