import Reactive
import Synchronization

extension Scenario {
  static let disposables = [
    Scenario("a bag: two threads insert while a third disposes of it") {
      let (disposals, bag) = (Disposals(), CompositeDisposable())
      let insert: @Sendable () -> Void = {
        for _ in 0..<20 { _ = bag.insert(disposals.make()) }
      }
      return Round([insert, insert, { bag.dispose() }]) {
        bag.dispose()
        return disposals.problem
      }
    },
    Scenario("a composite: one thread inserts and removes, another disposes") {
      let (disposals, composite) = (Disposals(), CompositeDisposable())
      return Round([
        {
          for _ in 0..<20 {
            if let key = composite.insert(disposals.make()) { composite.remove(for: key) }
          }
        },
        { for _ in 0..<20 { _ = composite.insert(disposals.make()) } },
        { composite.dispose() },
      ]) {
        composite.dispose()
        return disposals.problem
      }
    },
    Scenario("a serial disposable: two threads replace what a third disposes of") {
      let (disposals, serial) = (Disposals(), SerialDisposable())
      let replace: @Sendable () -> Void = {
        for _ in 0..<20 { serial.disposable = disposals.make() }
      }
      return Round([replace, replace, { serial.dispose() }]) {
        serial.dispose()
        return disposals.problem
      }
    },
    Scenario("a reference-counted disposable: it and its dependents are disposed of at once") {
      let disposals = Disposals()
      let counted = RefCountDisposable(disposable: disposals.make())
      let retain: @Sendable () -> Void = { for _ in 0..<20 { counted.retain().dispose() } }
      return Round([retain, retain, { counted.dispose() }]) { disposals.problem }
    },
  ]
}

/// Makes disposables, and counts their disposals.
private final class Disposals: Counted, @unchecked Sendable {
  // Everything is atomic.
  private let made = Atomic(0)
  private let disposed = Atomic(0)

  func make() -> any Disposable {
    made.add(1, ordering: .relaxed)
    return Disposables.create { self.disposed.add(1, ordering: .relaxed) }
  }

  /// A description of the problem, or nil when each was disposed of once.
  var problem: String? {
    disposed.load(ordering: .acquiring).isNot(made.load(ordering: .acquiring), "disposals")
  }
}
