import Reactive
import Synchronization

/// Owns an object until it is released.
final class Owner<Value: AnyObject & Sendable>: Sendable {
  private let held: Mutex<Value?>

  init(_ value: Value) { held = Mutex(value) }

  func release() {
    let last = held.withLock { held in
      defer { held = nil }
      return held
    }
    withExtendedLifetime(last) {}
  }
}

/// A source that counts its subscriptions.
final class Source: Counted, @unchecked Sendable {
  // Everything is atomic.
  private let now = Atomic(0)
  private let mostAtOnce = Atomic(0)

  var most: Int { mostAtOnce.load(ordering: .acquiring) }
  var current: Int { now.load(ordering: .acquiring) }

  /// Emits the elements of `subject`.
  func observable(of subject: PublishSubject<Token>) -> Observable<Token> {
    Observable.create { [self] observer in
      mostAtOnce.max(now.add(1, ordering: .acquiringAndReleasing).newValue, ordering: .relaxed)
      let subscription = subject.subscribe(observer)
      return Disposables.create {
        subscription.dispose()
        self.now.subtract(1, ordering: .acquiringAndReleasing)
      }
    }
  }
}
