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
@propertyWrapper public struct ComposableState<State: Sendable>: Sendable {
  @usableFromInline let box: StateBox<State>

  /// A state that is published with every step, equal to the one before or not.
  @inlinable public init(wrappedValue: State) { box = StateBox(wrappedValue, areEqual: nil) }

  /// A state whose `observable` skips steps that change nothing.
  @inlinable public init(wrappedValue: State) where State: Equatable {
    box = StateBox(wrappedValue, areEqual: { $0 == $1 })
  }

  /// The current state.
  @inlinable public var wrappedValue: State {
    get {
      if !box.isBound { box.readUnbound() }
      return box.value
    }
    nonmutating set { box.write(newValue) }
    // Not by the getter: a composer may change its state before it is bound.
    nonmutating _modify {
      var state = box.value
      defer { box.write(state) }
      yield &state
    }
  }

  /// Itself: `$state`.
  public var projectedValue: ComposableState<State> {
    if !box.isBound { box.readUnbound() }
    return self
  }

  /// The state after every step, beginning with the current one, where the composer reduces.
  @inlinable public var states: Observable<State> { box.states }

  /// The state on the main queue, beginning with the current one; equal states in a row are one when
  /// `State` is Equatable.
  @inlinable public var observable: Driver<State> {
    guard let areEqual = box.areEqual else { return Driver(sharing: states) }
    return Driver(sharing: states.distinctUntilChanged { areEqual($0, $1) })
  }

  /// A part of the state on the main queue, beginning with the current one; equal ones in a row are one.
  ///
  /// ```swift
  /// composer.$state.select(\.count).drive(onNext: { label.text = "\($0)" })
  /// ```
  public func select<Value: Equatable & Sendable>(_ keyPath: any KeyPath<State, Value> & Sendable)
    -> Driver<Value>
  { Driver(sharing: states.map { $0[keyPath: keyPath] }.distinctUntilChanged()) }

  /// The state after every step, beginning with the current one, as an async sequence.
  ///
  /// Who reads slower than the composer reduces is given the newest state next. It does not end before
  /// its task is cancelled.
  public var values: AsyncStream<State> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let subscription = states.subscribe(onNext: { continuation.yield($0) })
      continuation.onTermination = { _ in subscription.dispose() }
    }
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
  @preconcurrency public func present<Value>(
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
      })
  }
}
