/// A call that an event loop will make once, unless it is cancelled first.
package final class LoopTimer: Disposable, @unchecked Sendable {
  // Protected by the loop's state. Nil once fired, cancelled or refused.
  private var action: EventLoop.Job?
  private let loop: EventLoop

  init(loop: EventLoop, action: @escaping EventLoop.Job) {
    self.loop = loop
    self.action = action
  }

  /// The action is released before this returns, and runs no more; when it is running on the loop
  /// at this moment, it is not waited for.
  ///
  /// From any thread; idempotent.
  package func cancel() { loop.cancel(self) }

  /// Cancels.
  package func dispose() { cancel() }

  /// With the state locked.
  var isPending: Bool { action != nil }

  /// With the state locked.
  ///
  /// Whoever takes the action runs or releases it after unlocking.
  func takeAction() -> EventLoop.Job? {
    defer { action = nil }
    return action
  }
}
