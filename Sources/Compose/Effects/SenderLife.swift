import Synchronization

/// Whether the sender of effects, a child, has ended.
///
/// What it has sent before is dropped in its turn, so that it does not reach the next child in its
/// place.
@usableFromInline final class SenderLife: Sendable {
  private let ended = Atomic(false)

  @usableFromInline init() {}

  @usableFromInline var hasEnded: Bool { ended.load(ordering: .relaxed) }

  func end() { ended.store(true, ordering: .relaxed) }

  // MARK: Failures

  // An error has no place for its sender: it passes operators of the parent, which may catch it.
  private static let threadSlot = ThreadSlot()

  /// The sender whose effect fails on this thread.
  @usableFromInline static var failing: SenderLife? {
    threadSlot.pointer.map { Unmanaged<SenderLife>.fromOpaque($0).takeUnretainedValue() }
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
