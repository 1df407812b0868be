/// A gate with one timer: setting it replaces the one before.
@usableFromInline final class TimedGate: Gate, @unchecked Sendable {
  // Touched only inside the gate, where a timer that fires at once waits until it is in its place. One that had
  // begun to fire when it was replaced is not this one any more.
  @exclusivity(unchecked) private var timer: GateTimer?
  private let lifetime: Lifetime
  private let scheduler: any SchedulerType
  // The same, when it is one of this package.
  private let works: (any WorkScheduler)?
  private let onTime: (TimedGate) -> Void
  /// Whether the scheduler may do in one turn what is due at the same time.
  @usableFromInline let joinsTurns: Bool

  /// A gate whose timer calls `onTime`, inside; it must not capture the gate, which it is given.
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

  /// Lets the timer fire after `dueTime`, and not when it was to fire before.
  @usableFromInline func after(_ dueTime: RxTimeInterval) {
    pass({ wait(dueTime) }) {
      queue({ wait(dueTime) }) { waiting.append((0, { _ in self.wait(dueTime) })) }
    }
  }

  /// Drops what was to be run.
  ///
  /// To be called inside.
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

/// Work that fires the timer of a gate, and is in the list of its scope until then.
private final class GateTimer: TimedWork, @unchecked Sendable {
  // Belongs to whoever takes the turn.
  @exclusivity(unchecked) private var gate: TimedGate?

  init(_ gate: TimedGate) {
    self.gate = gate
    super.init()
  }

  override func perform() -> Outcome {
    gate?.fire(self)
    return .done
  }

  override func forget() { gate = nil }
}
