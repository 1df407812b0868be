import Synchronization

/// Makes a composer's state observable.
///
/// ```swift
/// @ComposableState var state = State()
///
/// composer.state.count                     // the current state
/// composer.$state.observable.map(\.count)  // a driver
/// composer.$state.present(\.$alert)        // a driver of one-shot values
/// ```
///
/// Every step of the composer publishes the state once. Written from outside, the state is published
/// too, never in the middle of a step; inside the reducer the `inout` state is the one to change.
@propertyWrapper
public struct ComposableState<State: Sendable>: Sendable {
  @usableFromInline let box: StateBox<State>

  /// A state that is published with every step, equal to the one before or not.
  @inlinable
  public init(wrappedValue: State) {
    box = StateBox(wrappedValue, areEqual: nil)
  }

  /// A state whose `observable` skips steps that change nothing.
  @inlinable
  public init(wrappedValue: State) where State: Equatable {
    box = StateBox(wrappedValue, areEqual: { $0 == $1 })
  }

  /// The current state.
  @inlinable
  public var wrappedValue: State {
    get {
      if !box.isBound { box.readUnbound() }
      return box.relay.value
    }
    nonmutating set {
      box.write(newValue)
    }
  }

  /// Itself: `$state`.
  public var projectedValue: ComposableState<State> {
    if !box.isBound { box.readUnbound() }
    return self
  }

  /// The state after every step, beginning with the current one, where the composer reduces.
  @inlinable public var states: Observable<State> { box.relay.asObservable() }

  /// The state on the main queue, beginning with the current one; equal states in a row are one when
  /// `State` is Equatable.
  @inlinable public var observable: Driver<State> {
    guard let areEqual = box.areEqual else { return box.relay.asDriver() }
    return Driver(sharing: states.distinctUntilChanged { areEqual($0, $1) })
  }

  /// The value of a `@PresentState` property each time it is written, equal or not; for alerts,
  /// navigation, sounds.
  ///
  /// ```swift
  /// composer.$state.present(\.$alertMessage).compactMap(\.self).drive(...)
  /// ```
  ///
  /// Delivered on the main queue. A new observer receives the current value, unless somebody has been
  /// shown that very write already.
  @preconcurrency
  public func present<Value>(
    _ selector: @escaping @Sendable (State) -> PresentState<Value>
  ) -> Driver<Value> {
    let states = states
    return Driver(
      unshared: .deferred {
        let presented = Locked<PresentStamp??>(nil)
        return states.observe(on: DriverSharingStrategy.scheduler).compactMap { state in
          let value = selector(state)
          return presented.withLock { value.isNews(after: &$0) } ? .some(value.wrappedValue) : nil
        }
      }
    )
  }
}

/// The state's relay, and what the composer is doing to it.
@usableFromInline
final class StateBox<State: Sendable>: @unchecked Sendable {
  // `phase` is written and `late` is touched under the lock of the relay.
  @usableFromInline let relay: BehaviorRelay<State>
  @usableFromInline let areEqual: (@Sendable (State, State) -> Bool)?
  @usableFromInline let phase = Atomic(Phase.unbound)
  @exclusivity(unchecked) @usableFromInline var late: State?
  private let isReported = Atomic(false)

  @usableFromInline
  enum Phase: UInt8, AtomicRepresentable {
    case unbound, idle, reducing
  }

  @usableFromInline
  init(_ state: State, areEqual: (@Sendable (State, State) -> Bool)?) {
    relay = BehaviorRelay(value: state)
    self.areEqual = areEqual
  }

  @inlinable var isBound: Bool { phase.load(ordering: .relaxed) != .unbound }

  func bind() { phase.store(.idle, ordering: .relaxed) }

  /// Begins a reduction: what others write from now on waits for its end.
  @inlinable
  func beginReducing() -> State {
    let last = relay.multicast.last { phase.store(.reducing, ordering: .relaxed) }
    guard let last else { preconditionFailure("A behavior relay has a value.") }
    return last
  }

  /// Publishes the reduction's state and then, if somebody wrote one meanwhile, that one.
  @inlinable
  func endReducing(_ state: State) {
    var hasLate = false
    relay.multicast.next {
      phase.store(.idle, ordering: .relaxed)
      hasLate = late != nil
      return state
    }
    guard hasLate else { return }
    relay.multicast.next {
      defer { late = nil }
      return late
    }
  }

  /// Publishes `state`, or has it published after the reduction that is running.
  ///
  /// The reducer itself has the `inout` state to write to. What is written while another write waits,
  /// takes its place.
  @usableFromInline
  func write(_ state: State) {
    if phase.load(ordering: .relaxed) == .reducing, EffectContext.isReducing {
      ComposeHooks.report(.wroteStateInReducer(state: "\(State.self)"))
      return
    }
    var replaced: State?
    relay.multicast.next {
      guard phase.load(ordering: .relaxed) == .reducing || late != nil else { return state }
      replaced = late
      late = state
      return nil
    }
    // Released here, unlocked.
    withExtendedLifetime(replaced) {}
  }

  /// A composer that is being bound reads its state so that the store finds this box; anybody else
  /// reads a state that no action changes.
  @usableFromInline
  func readUnbound() {
    if let search = StateSearch.current { return search.found = self }
    if isReported.exchange(true, ordering: .relaxed) { return }
    ComposeHooks.report(.readBeforeBinding(state: "\(State.self)"))
  }
}

/// Finds the box behind a composer's `state`: the protocol knows the state alone.
@usableFromInline
final class StateSearch {
  fileprivate var found: AnyObject?

  private static let slot = ThreadSlot()

  fileprivate static var current: StateSearch? {
    slot.pointer.map { Unmanaged<StateSearch>.fromOpaque($0).takeUnretainedValue() }
  }

  @usableFromInline
  static func box<C: Composer>(of composer: C) -> StateBox<C.State>? {
    let search = StateSearch()
    let before = slot.pointer
    slot.pointer = Unmanaged.passUnretained(search).toOpaque()
    _ = composer.state
    slot.pointer = before
    return search.found as? StateBox<C.State>
  }
}
