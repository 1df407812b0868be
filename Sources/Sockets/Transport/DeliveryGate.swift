import Synchronization

/// Whether a transport may deliver bytes: while reading is not paused and it is not closing.
///
/// Any thread sets both flags.
package struct DeliveryGate: ~Copyable {
  private let reading = Atomic(true)
  private let closing = Atomic(false)

  package init() {}

  package var isReading: Bool { reading.load(ordering: .acquiring) }

  package var isClosing: Bool { closing.load(ordering: .acquiring) }

  package var isOpen: Bool { isReading && !isClosing }

  /// Pauses or resumes reading; returns whether it was paused and is resumed.
  @discardableResult
  package func setReading(_ isReading: Bool) -> Bool {
    !reading.exchange(isReading, ordering: .acquiringAndReleasing) && isReading
  }

  /// Begins to close; returns false if that has begun before.
  @discardableResult
  package func beginClosing() -> Bool {
    !closing.exchange(true, ordering: .acquiringAndReleasing)
  }
}
