import Synchronization

/// What others have written to the shared values of a composer and its children, and the composer has
/// not changed its state to.
@usableFromInline final class SharedInbox: Sendable {
  private let stale = Locked<[SharedSubscription]>([])
  /// Whether the composer makes such steps; accessed where it reduces.
  let isCatchingUp = Atomic(false)
  /// Whether work that catches up is in the mailbox.
  private let isScheduled = Atomic(false)
  private let deliveries = Locked<[@Sendable () -> Void]>([])

  /// Adds a part whose shared value is newer.
  func append(_ subscription: SharedSubscription) { stale.withLock { $0.append(subscription) } }

  /// Calls `schedule` when there are stale parts and no work was scheduled.
  func scheduleIfStale(_ schedule: () -> Void) {
    if stale.withLock(\.isEmpty) { return }
    if !isScheduled.exchange(true, ordering: .acquiringAndReleasing) { schedule() }
  }

  /// Notes that the scheduled work runs.
  func beginScheduled() { isScheduled.store(false, ordering: .releasing) }

  /// Removes and returns the stale parts.
  func removeAll() -> [SharedSubscription] { stale.replace(with: []) }

  /// Calls `deliver` after the running step.
  func deliverAfterStep(_ deliver: @escaping @Sendable () -> Void) {
    deliveries.withLock { $0.append(deliver) }
  }

  /// Delivers what the step has written.
  @usableFromInline func deliver() {
    for deliver in deliveries.replace(with: []) { deliver() }
  }
}

/// The subscription of one part of a composer's state to its shared value.
final class SharedSubscription: Sendable, Identifiable {
  // Written by the initializer only.
  private nonisolated(unsafe) weak var store: StoreCore?
  private let isStale = Atomic(false)
  private let change: @Sendable () -> Void

  /// - Parameter change: makes the step; called where the composer reduces, between two steps.
  init(_ store: StoreCore, _ change: @escaping @Sendable () -> Void) {
    (self.store, self.change) = (store, change)
  }

  /// Makes the composer change its state before its next step.
  func markStale() {
    if isStale.exchange(true, ordering: .acquiringAndReleasing) { return }
    store?.sharedInbox.append(self)
  }

  /// Makes the composer change its state now, or in a turn of its executor.
  func wake() { store?.catchUpLater() }

  func catchUp() {
    // Before the newest value is read: a later write marks this again.
    _ = isStale.exchange(false, ordering: .acquiringAndReleasing)
    change()
  }
}

extension StoreCore {
  /// Schedules the steps that others have caused by writing shared values.
  func catchUpLater() {
    sharedInbox.scheduleIfStale {
      perform { [weak self] in
        guard let self else { return }
        sharedInbox.beginScheduled()
        catchUp()
      }
    }
  }

  /// Makes the steps that others have caused by writing shared values.
  ///
  /// What they write in the meantime has a turn of its own.
  @usableFromInline final func catchUp() {
    guard let inbox = lazySharedInbox.object else { return }
    if inbox.isCatchingUp.exchange(true, ordering: .relaxed) { return }
    defer { inbox.isCatchingUp.store(false, ordering: .relaxed) }
    for subscription in inbox.removeAll() { subscription.catchUp() }
  }
}
