import Synchronization

/// What others have written to the shared values of a composer and its children, and the composer has
/// not changed its state to.
@usableFromInline final class SharedInbox: Sendable {
  private let stale = Locked<[SharedSubscription]>([])
  private let isStale = Atomic(false)
  /// Whether the composer makes such steps; accessed where it reduces.
  let isCatchingUp = Atomic(false)
  /// Whether work that catches up is in the mailbox.
  private let isScheduled = Atomic(false)
  private let deliveries = Locked<[@Sendable () -> Void]>([])
  private let mustDeliver = Atomic(false)

  /// Adds a part whose shared value is newer.
  func append(_ subscription: SharedSubscription) {
    stale.withLock { stale in
      stale.append(subscription)
      isStale.store(true, ordering: .releasing)
    }
  }

  /// Whether there may be stale parts.
  var hasStale: Bool { isStale.load(ordering: .acquiring) }

  /// Calls `schedule` when there are stale parts and no work was scheduled.
  func scheduleIfStale(_ schedule: () -> Void) {
    guard hasStale else { return }
    if !isScheduled.exchange(true, ordering: .acquiringAndReleasing) { schedule() }
  }

  /// Notes that the scheduled work runs.
  func beginScheduled() { isScheduled.store(false, ordering: .releasing) }

  /// Removes and returns the stale parts.
  func removeAll() -> [SharedSubscription] {
    stale.withLock { stale in
      defer { stale = [] }
      isStale.store(false, ordering: .releasing)
      return stale
    }
  }

  /// Calls `deliver` after the running step.
  func deliverAfterStep(_ deliver: @escaping @Sendable () -> Void) {
    deliveries.withLock { $0.append(deliver) }
    mustDeliver.store(true, ordering: .relaxed)
  }

  /// Delivers what the step has written.
  @usableFromInline func deliver() {
    guard mustDeliver.exchange(false, ordering: .relaxed) else { return }
    for deliver in deliveries.replace(with: []) { deliver() }
  }
}

/// The subscription of one part of a composer's state to its shared value.
final class SharedSubscription: Sendable, Identifiable {
  private weak let store: StoreCore?
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

  /// The same before another step.
  @usableFromInline final func catchUpIfStale() {
    if let inbox = lazySharedInbox.object, inbox.hasStale { catchUp() }
  }

  /// Makes the steps that others have caused by writing shared values.
  ///
  /// What they write in the meantime has a turn of its own.
  final func catchUp() {
    let inbox = sharedInbox
    if inbox.isCatchingUp.exchange(true, ordering: .relaxed) { return }
    defer { inbox.isCatchingUp.store(false, ordering: .relaxed) }
    for subscription in inbox.removeAll() { subscription.catchUp() }
  }
}

/// A shared part of a composer's state, among its children: updated after each step like them.
final class SharedPartDeclaration<State: Sendable, Action: Sendable>: ChildDeclaration<
  State, Action
>
{
  let part: SharedPart<State>
  var isIgnored = false
  private var lifetime: Lifetime?

  init(_ part: SharedPart<State>) {
    self.part = part
    super.init(
      update: { unsafeDowncast($0, to: SharedPartDeclaration.self).update($1, $2) },
      end: { unsafeDowncast($0, to: SharedPartDeclaration.self).lifetime?.dispose() })
  }

  private func update(_ state: State, _ start: StateEffectStarter) {
    guard !isIgnored, let store = EffectContext.reducingStore, !store.isStubbed else { return }
    if lifetime == nil {
      let effect = StateEffect<Action>(declaredID: ObjectIdentifier(part), isTraced: false) {
        [part] in part.changes(in: store)
      }
      lifetime = start(effect)
    }
    if part.differs(state) {
      part.subscription?.markStale()
      store.catchUpLater()
    }
  }
}

/// Sets the parts of `state` that `composer` shares to their shared values, as when it is bound.
package func adoptSharedValues<C: Composer>(of composer: C, _ state: inout C.State) {
  for case let sharing as Sharing<C.State> in storedProperties(of: composer) {
    sharing.part.adopt(&state)
  }
}
