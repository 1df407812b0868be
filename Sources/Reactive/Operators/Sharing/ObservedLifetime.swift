import Synchronization

/// A lifetime that several observers share, and that ends with the last of them.
///
/// It begins with one observer; for each observer `removeObserver(atEndOf:)` is called once.
final class ObservedLifetime: Lifetime, @unchecked Sendable {
  private let observers = Atomic(1)

  init() { super.init() }

  /// Adds an observer; returns false when there is none left.
  func addObserver() -> Bool { observers.add(1, ordering: .relaxed).oldValue > 0 }

  /// Removes the observer when `lifetime` ends.
  func removeObserver(atEndOf lifetime: Lifetime) {
    lifetime.add(
      ActionDisposable {
        let remaining = self.observers.subtract(1, ordering: .acquiringAndReleasing).newValue
        if remaining == 0 { self.dispose() }
      })
  }
}

extension PublishSubject {
  /// Returns the same elements; `source` does not end while the result has observers.
  func keeping(_ source: ObservedLifetime) -> Observable<Element> {
    Observable { [run] down in
      _ = source.addObserver()
      source.removeObserver(atEndOf: down.lifetime)
      run(down)
    }
  }
}
