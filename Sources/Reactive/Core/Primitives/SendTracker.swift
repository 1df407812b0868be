import Synchronization

/// A send to a subject or relay with an order or overlap that observers may not expect.
package enum SendAnomaly: Sendable {
  /// Two threads sent at once: the observers may receive two elements at once.
  case overlapping(subject: String)
  /// An observer sent while it received: the observers after it receive the later element first.
  case nested(subject: String)
}

extension SendAnomaly: CustomStringConvertible {
  package var description: String {
    switch self {
    case .overlapping(let subject):
      "Two threads send to a \(subject) at once. Send from one thread at a time, or to its serialized()."
    case .nested(let subject):
      "An observer of a \(subject) sends to it. The observers after it receive that element first. "
        + "Behind observe(on: MainScheduler.asyncInstance) they receive the elements in order."
    }
  }
}

#if DEBUG
/// Detects RxSwift's synchronization anomaly and reentrancy anomaly.
///
/// It reports each kind once for a subject or relay.
struct SendTracker: ~Copyable, Sendable {
  // `sender` is the sending thread (0: none); the flags note the kinds that were reported.
  private let sender = Atomic<UInt>(0)
  private let hasOverlapped = Atomic(false)
  private let hasNested = Atomic(false)

  /// Notes a send to `subject`; returns true when a call of `end` must follow.
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
    Hooks.anomalyHandler(isNested ? .nested(subject: name) : .overlapping(subject: name))
    return false
  }

  func end() { sender.store(0, ordering: .releasing) }
}
#endif
