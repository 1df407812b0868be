import Synchronization

/// Reports how many elements of one subscription were dropped.
@usableFromInline final class DropCounter: Sendable {
  private let total = Atomic(0)
  private let onDropped: @Sendable (Int) -> Void

  /// Creates a counter; nil when `onDropped` is nil.
  @usableFromInline init?(_ onDropped: (@Sendable (Int) -> Void)?) {
    guard let onDropped else { return nil }
    self.onDropped = onDropped
  }

  /// Counts one dropped element, and reports the total.
  @usableFromInline func count() { onDropped(total.add(1, ordering: .relaxed).newValue) }
}
