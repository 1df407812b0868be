import Synchronization

/// A lifetime that several observers share, and that ends when the last of them leaves.
///
/// It begins with one observer; for each observer `leave(with:)` is called once.
final class ObservedLifetime: Lifetime, @unchecked Sendable {
  private let observers = Atomic(1)

  init() { super.init() }

  /// Adds an observer; returns false when the last one has already left.
  func enter() -> Bool { observers.add(1, ordering: .relaxed).oldValue > 0 }

  /// Removes the observer when `lifetime` ends.
  func leave(with lifetime: Lifetime) {
    lifetime.add(
      ActionDisposable {
        let left = self.observers.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { self.dispose() }
      })
  }
}

extension PublishSubject {
  /// Returns the same elements; `source` does not end while the result has observers.
  func keeping(_ source: ObservedLifetime) -> Observable<Element> {
    Observable { [run] down in
      _ = source.enter()
      source.leave(with: down.lifetime)
      run(down)
    }
  }
}
