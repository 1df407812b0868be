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
/// Each step of the composer publishes the state once. A write from outside publishes the state
/// too, after the running step. Inside the reducer, change the `inout` state instead of this
/// property.
@propertyWrapper public struct ComposableState<State: Sendable>: Sendable {
  @usableFromInline let box: StateBox<State>

  /// A state that every step publishes, whether it has changed or not.
  @inlinable public init(wrappedValue: State) { box = StateBox(wrappedValue, areEqual: nil) }

  /// A state whose ``observable`` skips steps that change nothing.
  @inlinable public init(wrappedValue: State) where State: Equatable {
    box = StateBox(wrappedValue, areEqual: { $0 == $1 })
  }

  /// The current state.
  @inlinable public var wrappedValue: State {
    get {
      if !box.isBound { box.handleUnboundRead() }
      return box.value
    }
    nonmutating set { box.write(newValue) }
    // Without the getter, which reports an unbound read: a composer may change its state before it
    // is bound.
    nonmutating _modify {
      var state = box.value
      defer { box.write(state) }
      yield &state
    }
  }

  /// This wrapper: `$state`.
  public var projectedValue: ComposableState<State> {
    if !box.isBound { box.handleUnboundRead() }
    return self
  }

  /// The state after every step, beginning with the current one, where the composer reduces.
  @inlinable public var states: Observable<State> { box.states }

  /// The state on the main queue, beginning with the current one.
  ///
  /// Skips a state that equals the previous one when `State` is Equatable.
  @inlinable public var observable: Driver<State> {
    guard let areEqual = box.areEqual else { return Driver(sharing: states) }
    return Driver(sharing: states.distinctUntilChanged { areEqual($0, $1) })
  }

  /// A part of the state on the main queue, beginning with the current one.
  ///
  /// Skips a value that equals the previous one.
  ///
  /// ```swift
  /// composer.$state.select(\.count).drive(onNext: { label.text = "\($0)" })
  /// ```
  public func select<Value: Equatable & Sendable>(_ keyPath: any KeyPath<State, Value> & Sendable)
    -> Driver<Value>
  { Driver(sharing: states.map { $0[keyPath: keyPath] }.distinctUntilChanged()) }

  /// The state after every step, beginning with the current one, as an async sequence.
  ///
  /// A reader that is slower than the composer receives the newest state next and skips older ones.
  /// The sequence ends when the reading task is cancelled.
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
  /// Delivered on the main queue. A new observer receives the current value, unless another
  /// observer has already received the same write.
  @preconcurrency public func present<Value>(
    _ selector: @escaping @Sendable (State) -> PresentState<Value>
  ) -> Driver<Value> {
    presentIfAny { selector($0) }
  }

  /// The value of a `@PresentState` property of a child that may be absent, each time it is written.
  ///
  /// ```swift
  /// composer.$state.present(\.editor?.$alert).compactMap(\.self).drive(...)
  /// ```
  ///
  /// Emits nothing while the child is absent. A child that appears after a state without one presents its
  /// current value, as to a new observer.
  @preconcurrency public func present<Value>(
    _ selector: @escaping @Sendable (State) -> PresentState<Value>?
  ) -> Driver<Value> { presentIfAny(selector) }

  private func presentIfAny<Value>(
    _ selector: @escaping @Sendable (State) -> PresentState<Value>?
  ) -> Driver<Value> {
    let states = states
    return Driver(
      unshared: .deferred {
        let lastPresented = Locked<PresentStamp??>(nil)
        return states.observe(on: DriverSharingStrategy.scheduler).compactMap { state in
          let value = selector(state)
          return lastPresented.withLock { last in
            guard let value else {
              last = nil
              return nil
            }
            return value.claimPresentation(after: &last) ? .some(value.wrappedValue) : nil
          }
        }
      })
  }
}
