/// A gate with one timer; setting the timer replaces the previous one.
@usableFromInline final class TimedGate: SerialGate, @unchecked Sendable {
  // Touched only inside the gate. A timer that fires at once is queued there until `timer` is set.
  // One that began to fire before it was replaced is not equal to `timer`, and does nothing.
  @exclusivity(unchecked) private var timer: GateTimer?
  private let lifetime: Lifetime
  private let scheduler: any SchedulerType
  // The scheduler again, if it is one of this package.
  private let works: (any WorkScheduler)?
  private let onTime: (TimedGate) -> Void
  /// Whether the scheduler may run work that is due at the same time as one piece.
  @usableFromInline let joinsTurns: Bool

  /// Creates a gate whose timer calls `onTime` inside.
  ///
  /// `onTime` receives the gate and must not capture it.
  @usableFromInline init(
    _ scope: Lifetime, _ scheduler: any SchedulerType, onTime: @escaping (TimedGate) -> Void
  ) {
    lifetime = scope
    self.scheduler = scheduler
    let works = scheduler as? any WorkScheduler
    self.works = works
    joinsTurns = works?.joinsTurns ?? false
    self.onTime = onTime
    super.init(scope)
  }

  /// Sets the timer to fire after `dueTime`; an earlier setting is cancelled.
  @usableFromInline func after(_ dueTime: RxTimeInterval) {
    pass({ wait(dueTime) }) {
      queue({ wait(dueTime) }) { waiting.append((0, { _ in self.wait(dueTime) })) }
    }
  }

  /// Cancels the timer.
  ///
  /// Only the thread inside may call this.
  @usableFromInline func cancel() {
    timer?.dispose()
    timer = nil
  }

  private func wait(_ dueTime: RxTimeInterval) {
    timer?.dispose()
    let timer = GateTimer(self)
    self.timer = timer
    if let works {
      works.add(timer, after: dueTime)
    } else {
      let waiting = scheduler.scheduleRelative(timer, dueTime: dueTime) { timer in
        timer.run()
        return Disposables.create()
      }
      timer.add(waiting)
    }
    lifetime.insert(timer)
  }

  fileprivate func fire(_ timer: GateTimer) {
    pass({ act(timer) }) { queue({ act(timer) }) { waiting.append((0, { _ in self.act(timer) })) } }
  }

  private func act(_ timer: GateTimer) {
    guard self.timer === timer else { return }
    self.timer = nil
    onTime(self)
  }
}

/// The work of a gate's timer; the gate's scope holds it until it fires.
private final class GateTimer: TimedWork, @unchecked Sendable {
  // Only the thread that takes the turn may touch it.
  @exclusivity(unchecked) private var gate: TimedGate?

  init(_ gate: TimedGate) {
    self.gate = gate
    super.init()
  }

  override func perform() -> WorkResult {
    gate?.fire(self)
    return .done
  }

  override func forget() { gate = nil }
}
