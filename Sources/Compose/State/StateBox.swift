import Synchronization

/// The state's relay, and what the composer is doing to it.
@usableFromInline package final class StateBox<State: Sendable>: @unchecked Sendable {
  // `phase` is written and `late` is touched under the lock of the multicast.
  @usableFromInline let multicast: Multicast<State>
  @usableFromInline let areEqual: (@Sendable (State, State) -> Bool)?
  @usableFromInline let phase = Atomic(Phase.unbound)
  @exclusivity(unchecked) @usableFromInline var late: State?
  // Both are written once, when a composer is bound. Only one that reduces in place has a place.
  private weak var store: StoreCore?
  @exclusivity(unchecked) @usableFromInline var place: InPlace?
  private let isReported = Atomic(false)

  @usableFromInline enum Phase: UInt8, AtomicRepresentable { case unbound, idle, reducing }

  @usableFromInline init(_ state: State, areEqual: (@Sendable (State, State) -> Bool)?) {
    multicast = Multicast(value: state)
    self.areEqual = areEqual
  }

  deinit { multicast.hub.abandon() }

  /// The state after every step, beginning with the current one.
  @inlinable var states: Observable<State> {
    Observable(.direct) { [multicast] in multicast.add($0, replaysAfterEnd: false) }
  }

  @inlinable var isBound: Bool { phase.load(ordering: .relaxed) != .unbound }

  /// Tells `store`, which reduces a copy or `inPlace`, of each write that is no reduction's.
  func bind(_ store: StoreCore, inPlace: Bool) {
    self.store = store
    if inPlace { place = InPlace() }
    phase.store(.idle, ordering: .releasing)
  }

  /// The current state.
  ///
  /// While a reducer works in place on another thread, this waits for it.
  @inlinable package var value: State { multicast.last ?? valueAfterReduction() }

  /// The reducer itself has the `inout` state; reading this one there is a programmer's error and traps.
  @usableFromInline func valueAfterReduction() -> State {
    while true {
      place?.wait()
      if let state = multicast.last { return state }
    }
  }

  /// The state for a step: a copy or, `inPlace`, the state itself, which nothing else holds meanwhile.
  ///
  /// What others write until ``end(_:inPlace:)`` waits for that.
  @inlinable @inline(__always) func begin(inPlace: Bool) -> State {
    if inPlace { place?.take() }
    let mark = { self.phase.store(.reducing, ordering: .relaxed) }
    let state = inPlace ? multicast.take(mark) : multicast.last(after: mark)
    guard let state else { preconditionFailure("A state has a value.") }
    return state
  }

  /// Publishes the state after a step and then, if somebody wrote one meanwhile, that one.
  @inlinable @inline(__always) func end(_ state: State, inPlace: Bool) {
    var hasLate = false
    multicast.next {
      phase.store(.idle, ordering: .relaxed)
      hasLate = late != nil
      if inPlace { place?.give() }
      return state
    }
    if hasLate { publishLate() }
  }

  @usableFromInline func publishLate() {
    multicast.next {
      defer { late = nil }
      return late
    }
    store?.stateWritten()
  }

  /// Publishes `state`, or has it published after the reduction that is running.
  ///
  /// The reducer itself has the `inout` state to write to. What is written while another write waits,
  /// takes its place.
  @usableFromInline func write(_ state: State) {
    if phase.load(ordering: .relaxed) == .reducing, EffectContext.isReducing {
      ComposeHooks.report(.wroteStateInReducer(state: "\(State.self)"))
      return
    }
    var (replaced, isLate) = (State?.none, false)
    multicast.next {
      guard phase.load(ordering: .relaxed) == .reducing || late != nil else { return state }
      (replaced, late, isLate) = (late, state, true)
      return nil
    }
    // Released here, unlocked.
    withExtendedLifetime(replaced) {}
    if !isLate { store?.stateWritten() }
  }

  /// A composer that is being bound reads its state so that the store finds this box; anybody else
  /// reads a state that no action changes.
  @usableFromInline func readUnbound() {
    if let search = StateSearch.current { return search.found = self }
    if isReported.exchange(true, ordering: .relaxed) { return }
    ComposeHooks.report(.readBeforeBinding(state: "\(State.self)"))
  }
}

/// Finds the box behind a composer's `state`: the protocol knows the state alone.
@usableFromInline package final class StateSearch {
  fileprivate var found: AnyObject?

  private static let slot = ThreadSlot()

  fileprivate static var current: StateSearch? {
    slot.pointer.map { Unmanaged<StateSearch>.fromOpaque($0).takeUnretainedValue() }
  }

  @usableFromInline package static func box<C: Composer>(of composer: C) -> StateBox<C.State>? {
    if let store = composer.action.attached as? Store<C> { return store.box }
    let search = StateSearch()
    slot.holding(Unmanaged.passUnretained(search).toOpaque()) { _ = composer.state }
    return search.found as? StateBox<C.State>
  }
}
