import Reactive

/// Delays on a loop: by the loop's own timers, or by a scheduler in their place.
struct LoopClock: Sendable {
  let loop: EventLoop
  var scheduler: (any SchedulerType)?

  /// Runs `action` on the loop after `delay`, unless it is disposed of first; one that is due at that
  /// moment may still run.
  func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Disposable {
    guard let scheduler else {
      let timer = loop.schedule(after: delay, action)
      return Disposables.create { timer.cancel() }
    }
    return scheduler.after(.nanoseconds(Int(clamping: delay.wholeNanoseconds))) { [loop] in
      loop.execute(action)
    }
  }
}
