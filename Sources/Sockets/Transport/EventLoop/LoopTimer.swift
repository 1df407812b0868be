/// An action that an event loop runs once, unless it is cancelled first.
package final class LoopTimer: LoopClock.Wait, @unchecked Sendable {
  // Protected by the lock of the loop's state. Nil once fired, cancelled or refused.
  private var action: EventLoop.Job?
  private let loop: EventLoop

  /// - Parameter action: nil for a timer that is refused.
  init(loop: EventLoop, action: EventLoop.Job?) {
    self.loop = loop
    self.action = action
  }

  /// Cancels and releases the action before this returns.
  ///
  /// An action that is running on the loop at this moment is not waited for. Call it from any
  /// thread; idempotent.
  package func cancel() { loop.cancel(self) }

  /// Cancels the timer.
  override package func dispose() { cancel() }

  /// Whether the action will still run; call it with the loop's state locked.
  var isPending: Bool { action != nil }

  /// Takes the action; call it with the loop's state locked.
  ///
  /// The caller runs or releases the action after unlocking: releasing it may run any code.
  func takeAction() -> EventLoop.Job? { action.take() }
}
