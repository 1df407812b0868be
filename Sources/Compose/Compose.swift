/// Binds a composer to the main actor.
///
/// ```swift
/// @Compose var composer = CounterComposer()
/// ```
///
/// Its actions are reduced on the main queue: at once when they are sent there, in the queue's turn
/// when they come from elsewhere. Binding a composer a second time changes nothing.
@MainActor @propertyWrapper public struct Compose<C: Composer> {
  @usableFromInline var composer: C

  /// Binds `wrappedValue`.
  @inlinable public init(wrappedValue: C) {
    composer = wrappedValue
    Store.bind(wrappedValue, to: .main)
  }

  /// The composer; a new one is bound when it is set.
  @inlinable public var wrappedValue: C {
    get { composer }
    set {
      composer = newValue
      Store.bind(newValue, to: .main)
    }
  }

  /// Itself: `$composer`.
  public var projectedValue: Compose<C> { self }

  /// Sends `action` to the composer.
  @inlinable public func send(_ action: C.Action) { composer.action.accept(action) }
}
