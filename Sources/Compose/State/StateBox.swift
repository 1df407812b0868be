import Synchronization

/// The state's relay, and what the composer is doing to it.
@usableFromInline package final class StateBox<State: Sendable>: @unchecked Sendable {
  // `phase` is written and `late` is touched under the lock of the multicast.
  @usableFromInline let multicast: Multicast<State>
  @usableFromInline let areEqual: (@Sendable (State, State) -> Bool)?
  @usableFromInline let phase = Atomic(Phase.unbound)
  @exclusivity(unchecked) @usableFromInline var late: State?
  // Written once, when a composer is bound.
  private weak var store: StoreCore?
  // Held while a reducer has the state itself and not a copy, by the thread that `reducer` names: who
  // reads the state then waits. Only composers that ask for it reduce in place.
  @usableFromInline let inPlace = Lock()
  @usableFromInline let reducer = Atomic<UInt>(0)
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

  /// Tells `store` of each write that is no reduction's.
  func bind(_ store: StoreCore) {
    self.store = store
    phase.store(.idle, ordering: .releasing)
  }

  /// The current state.
  ///
  /// While a reducer works in place on another thread, this waits for it.
  @inlinable package var value: State { multicast.last ?? valueAfterReduction() }

  /// The reducer itself has the `inout` state; reading this one there is a programmer's error and traps.
  @usableFromInline func valueAfterReduction() -> State {
    while true {
      if reducer.load(ordering: .relaxed) == threadIdentity() {
        preconditionFailure(
          """
          The state of a composer that reduces in place was read inside its reducer. \
          Read the reducer's inout state.
          """)
      }
      inPlace.withLock {}
      if let state = multicast.last { return state }
    }
  }

  /// Reduces a copy of the state: what others write meanwhile waits for its end.
  @inlinable @inline(__always) func reduce<Result>(_ body: (inout State) -> Result) -> Result {
    let last = multicast.last { phase.store(.reducing, ordering: .relaxed) }
    guard var state = last else { preconditionFailure("A state has a value.") }
    let result = body(&state)
    publish(state)
    return result
  }

  /// Reduces the state where it is: nothing else holds it meanwhile, so that its arrays are not copied.
  @inlinable @inline(__always) func reduceInPlace<Result>(_ body: (inout State) -> Result) -> Result
  {
    inPlace.lock()
    reducer.store(threadIdentity(), ordering: .relaxed)
    // Into no other variable: a second owner would have the reducer copy.
    guard var state = multicast.take({ phase.store(.reducing, ordering: .relaxed) }) else {
      preconditionFailure("A state has a value.")
    }
    let result = body(&state)
    publish(state) {
      reducer.store(0, ordering: .relaxed)
      inPlace.unlock()
    }
    return result
  }

  /// Publishes the reduction's state and then, if somebody wrote one meanwhile, that one.
  @inlinable @inline(__always) func publish(_ state: State, after body: () -> Void = {}) {
    var hasLate = false
    multicast.next {
      phase.store(.idle, ordering: .relaxed)
      hasLate = late != nil
      body()
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
    let before = slot.pointer
    slot.pointer = Unmanaged.passUnretained(search).toOpaque()
    _ = composer.state
    slot.pointer = before
    return search.found as? StateBox<C.State>
  }
}
