import Synchronization

/// Two threads sent to a subject or relay at once: its observers hear two things at once.
package struct OverlappingSends: Error { package let subject: String }

/// A subject or relay was sent to while it was delivering, by one of its observers.
package struct NestedSends: Error { package let subject: String }

#if DEBUG
/// Notices what RxSwift calls anomalies, and reports each kind once to `Hooks.defaultErrorHandler`.
struct SendTracker: ~Copyable, Sendable {
  // The thread that sends (0: nobody), and what was reported.
  private let sender = Atomic<UInt>(0)
  private let hasOverlapped = Atomic(false)
  private let hasNested = Atomic(false)

  /// Notes that `subject` is sent to; true when a call of `end` is to follow.
  func begin(_ subject: AnyObject) -> Bool {
    let me = threadIdentity()
    let (isOutermost, other) = sender.compareExchange(
      expected: 0, desired: me, ordering: .acquiringAndReleasing)
    if isOutermost { return true }
    let isNested = other == me
    let wasReported =
      isNested
      ? hasNested.exchange(true, ordering: .relaxed)
      : hasOverlapped.exchange(true, ordering: .relaxed)
    if wasReported { return false }
    let name = "\(type(of: subject))"
    Hooks.defaultErrorHandler(
      [], isNested ? NestedSends(subject: name) : OverlappingSends(subject: name))
    return false
  }

  func end() { sender.store(0, ordering: .releasing) }
}
#endif
