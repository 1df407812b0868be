import Synchronization

/// The storage of a composer's state: its replaying hub and the phase of the current step.
@usableFromInline package final class StateBox<State: Sendable>: @unchecked Sendable {
  // `phase` is written, and `pendingWrite` is accessed, under the lock of the replaying hub.
  @usableFromInline let replayingHub: ReplayingHub<State>
  @usableFromInline let areEqual: (@Sendable (State, State) -> Bool)?
  @usableFromInline let phase = Atomic(ReductionPhase.unbound)
  /// Whether a state was written from outside, by which the store has not updated the children.
  ///
  /// Set under the same lock as the state.
  let isWritten = Atomic(false)
  /// A state that was written during a step, and is published after the step.
  @exclusivity(unchecked) @usableFromInline var pendingWrite: State?
  // Both are written once, when the composer is bound. `inPlaceLock` is nil unless it reduces in
  // place.
  private weak var store: StoreCore?
  @exclusivity(unchecked) @usableFromInline var inPlaceLock: InPlaceLock?
  private let isUnboundReadReported = Atomic(false)

  @usableFromInline enum ReductionPhase: UInt8, AtomicRepresentable {
    case unbound, idle, reducing
  }

  @usableFromInline init(_ state: State, areEqual: (@Sendable (State, State) -> Bool)?) {
    replayingHub = ReplayingHub(value: state)
    self.areEqual = areEqual
  }

  deinit { replayingHub.hub.abandon() }

  /// The state after every step, beginning with the current one.
  @inlinable var states: Observable<State> {
    Observable(.direct) { [replayingHub] in replayingHub.add($0, replaysAfterEnd: false) }
  }

  @inlinable var isBound: Bool { phase.load(ordering: .relaxed) != .unbound }

  /// Connects the box to `store`, which is called for each write from outside a reduction.
  func bind(_ store: StoreCore, inPlace: Bool) {
    self.store = store
    if inPlace { inPlaceLock = InPlaceLock() }
    isWritten.store(false, ordering: .relaxed)
    phase.store(.idle, ordering: .releasing)
  }

  /// The current state.
  ///
  /// While a reducer works in place on another thread, reading waits for that reducer. Reading
  /// inside the reducer itself traps.
  @inlinable package var value: State { replayingHub.last ?? valueAfterReduction() }

  /// Waits until no reducer works in place, and returns the state.
  @usableFromInline func valueAfterReduction() -> State {
    while true {
      inPlaceLock?.waitUntilUnlocked()
      if let state = replayingHub.last { return state }
    }
  }

  /// Returns the state for a step: a copy or, with `inPlace`, the only reference to the state.
  ///
  /// Writes from other threads are pending until ``end(_:inPlace:)``.
  @inlinable @inline(__always) func begin(inPlace: Bool) -> State {
    if inPlace { inPlaceLock?.lock() }
    let startReducing = { self.phase.store(.reducing, ordering: .relaxed) }
    let state = inPlace ? replayingHub.take(startReducing) : replayingHub.last(after: startReducing)
    guard let state else { preconditionFailure("A state has a value.") }
    return state
  }

  /// Publishes the state after a step, and then the state that was written during the step, if any.
  @inlinable @inline(__always) func end(_ state: State, inPlace: Bool) {
    var hasPendingWrite = false
    replayingHub.next {
      phase.store(.idle, ordering: .relaxed)
      hasPendingWrite = pendingWrite != nil
      if inPlace { inPlaceLock?.unlock() }
      return state
    }
    if hasPendingWrite { publishPendingWrite() }
  }

  @usableFromInline func publishPendingWrite() {
    replayingHub.next {
      defer { pendingWrite = nil }
      isWritten.store(true, ordering: .relaxed)
      return pendingWrite
    }
    store?.stateWritten()
  }

  /// Publishes `state`, or stores it to be published after the running step.
  ///
  /// A write inside the reducer is dropped and reported. A second write during a step replaces the
  /// first.
  @usableFromInline func write(_ state: State) {
    if phase.load(ordering: .relaxed) == .reducing, EffectContext.isReducing {
      ComposeHooks.reportAfterStep { .wroteStateInReducer(state: "\(State.self)") }
      return
    }
    var replaced: State?
    var isPending = false
    replayingHub.next {
      guard phase.load(ordering: .relaxed) == .reducing || pendingWrite != nil else {
        isWritten.store(true, ordering: .relaxed)
        return state
      }
      replaced = pendingWrite
      pendingWrite = state
      isPending = true
      return nil
    }
    // Released here, outside the lock.
    withExtendedLifetime(replaced) {}
    if !isPending { store?.stateWritten() }
  }

  /// Handles a read of the state before the composer is bound: returns this box to a running
  /// ``StateBoxLookup``, or reports the read once.
  @usableFromInline func handleUnboundRead() {
    if let lookup = StateBoxLookup.current { return lookup.found = self }
    if isUnboundReadReported.exchange(true, ordering: .relaxed) { return }
    ComposeHooks.report(.readBeforeBinding(state: "\(State.self)"))
  }
}

/// Finds the box of a composer's `state` by reading the state: the protocol does not expose the
/// box.
@usableFromInline package final class StateBoxLookup {
  fileprivate var found: AnyObject?

  private static let threadSlot = ThreadSlot()

  fileprivate static var current: StateBoxLookup? {
    threadSlot.pointer.map { Unmanaged<StateBoxLookup>.fromOpaque($0).takeUnretainedValue() }
  }

  @usableFromInline package static func box<C: Composer>(of composer: C) -> StateBox<C.State>? {
    if let store = composer.action.attached as? Store<C> { return store.box }
    let lookup = StateBoxLookup()
    threadSlot.holding(Unmanaged.passUnretained(lookup).toOpaque()) { _ = composer.state }
    return lookup.found as? StateBox<C.State>
  }
}
