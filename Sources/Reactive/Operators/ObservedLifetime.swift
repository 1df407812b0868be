import Synchronization

/// A lifetime that several observers share, and that ends with the last of them.
///
/// It is made for a first one; each calls `leave(with:)` once.
final class ObservedLifetime: Lifetime, @unchecked Sendable {
  private let observers = Atomic(1)

  init() { super.init() }

  /// Lets one more observer in; false when the last one had left.
  func enter() -> Bool { observers.add(1, ordering: .relaxed).oldValue > 0 }

  /// Has the observer leave when `lifetime` ends.
  func leave(with lifetime: Lifetime) {
    lifetime.add(
      ActionDisposable {
        let left = self.observers.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { self.dispose() }
      })
  }
}

extension PublishSubject {
  /// The same elements; `source` does not end while they are observed.
  func keeping(_ source: ObservedLifetime) -> Observable<Element> {
    Observable { [run] down in
      _ = source.enter()
      source.leave(with: down.lifetime)
      run(down)
    }
  }
}
