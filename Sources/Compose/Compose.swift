/// Binds a composer to the main actor.
///
/// ```swift
/// @Compose var composer = CounterComposer()
/// ```
///
/// The composer reduces on the main queue. An action that is sent on the main queue is reduced
/// before `accept` returns, unless a step is running. An action from another thread is reduced in a
/// later turn of the main queue. Binding a composer a second time has no effect.
@MainActor @propertyWrapper public struct Compose<C: Composer> {
  @usableFromInline var composer: C

  /// Binds `wrappedValue` to the main actor.
  @inlinable public init(wrappedValue: C) {
    composer = wrappedValue
    Store.bind(wrappedValue, to: .main)
  }

  /// Injects dependencies into `wrappedValue`, and binds it to the main actor.
  ///
  /// ```swift
  /// @Compose({ $0.library = .production }) var composer = LibraryComposer()
  /// ```
  ///
  /// - Parameters:
  ///   - wrappedValue: composer that is created in this call, so that its `init` finds the
  ///     dependencies.
  ///   - change: changes the dependencies, which are those that are current here.
  @inlinable public init(
    wrappedValue: @autoclosure () -> C, _ change: (inout Dependencies) -> Void
  ) { self = Dependencies.with(change) { Compose(wrappedValue: wrappedValue()) } }

  /// The composer.
  ///
  /// Setting it binds the new composer.
  @inlinable public var wrappedValue: C {
    get { composer }
    set {
      composer = newValue
      Store.bind(newValue, to: .main)
    }
  }

  /// This wrapper, for `$composer.send(action)`.
  public var projectedValue: Compose<C> { self }

  /// Sends `action` to the composer.
  @inlinable public func send(_ action: C.Action) { composer.action.accept(action) }
}
