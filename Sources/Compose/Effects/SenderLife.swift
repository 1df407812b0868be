import Synchronization

/// Whether the sender of effects, a child, has ended.
///
/// What it has sent before is dropped in its turn, so that it does not reach the next child in its
/// place.
@usableFromInline final class SenderLife: Sendable {
  private let ended = Atomic(false)
  /// The number of effects that were sent and wait for their turns.
  private let waiting = Atomic(0)

  @usableFromInline init() {}

  /// Whether effects that were sent wait for their turns.
  @usableFromInline var isWaiting: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Notes that one more effect waits, or one less.
  func noteWaiting(_ isWaiting: Bool) {
    waiting.wrappingAdd(isWaiting ? 1 : -1, ordering: .relaxed)
  }

  @usableFromInline var hasEnded: Bool { ended.load(ordering: .relaxed) }

  func end() { ended.store(true, ordering: .relaxed) }

  // MARK: Failures

  // An error has no place for its sender: it passes operators of the parent, which may catch it.
  private static let threadSlot = ThreadSlot()

  /// Returns the sender whose effect fails on this thread, to the first that asks.
  ///
  /// What that one does with the failure may make other effects fail, also those of other composers.
  @usableFromInline static func takeFailing() -> SenderLife? {
    guard let pointer = threadSlot.pointer else { return nil }
    threadSlot.pointer = nil
    return Unmanaged<SenderLife>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs `body`, in which an effect of this sender fails.
  func fail(_ body: () -> Void) {
    // Inside a child's child that fails, which ends with this one.
    if Self.threadSlot.pointer != nil { return body() }
    withExtendedLifetime(self) {
      Self.threadSlot.holding(Unmanaged.passUnretained(self).toOpaque(), body)
    }
  }
}
