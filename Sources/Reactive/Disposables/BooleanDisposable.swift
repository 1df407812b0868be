import Synchronization

/// A flag that disposal sets.
public final class BooleanDisposable: Cancelable {
  private let flag: Atomic<Bool>

  /// Creates a flag that is not set, unless `isDisposed` is true.
  public init(isDisposed: Bool = false) { flag = Atomic(isDisposed) }

  /// Whether the flag is set.
  public var isDisposed: Bool { flag.load(ordering: .acquiring) }

  /// Sets the flag.
  public func dispose() { flag.store(true, ordering: .releasing) }
}
