import Synchronization

/// Calls the tools that look inside a program with each composer that is bound.
@usableFromInline package enum StoreBindings {
  /// Receives a store with its types.
  package protocol Observer: AnyObject, Sendable {
    /// Called before the composer's first step and first effect, on the thread that binds it.
    func storeBound<State, Action>(_ store: TracedStore<State, Action>)
  }

  private static let hasObservers = Atomic(false)
  private static let observers = Locked<[any Observer]>([])

  /// Whether a tool is called.
  @usableFromInline static var areObserved: Bool { hasObservers.load(ordering: .relaxed) }

  /// Calls `observer` with each store that is bound from now on, until the result is disposed of.
  package static func observe(_ observer: any Observer) -> any Disposable {
    observers.withLock { observers in
      observers.append(observer)
      hasObservers.store(true, ordering: .relaxed)
    }
    return Disposables.create { [weak observer] in
      observers.withLock { observers in
        observers.removeAll { $0 === observer }
        hasObservers.store(!observers.isEmpty, ordering: .relaxed)
      }
    }
  }

  @usableFromInline static func report<State, Action>(_ store: TracedStore<State, Action>) {
    for observer in observers.withLock({ $0 }) { observer.storeBound(store) }
  }
}
