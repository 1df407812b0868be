import Synchronization

/// A flag that is set by disposing of it.
public final class BooleanDisposable: Cancelable {
  private let flag: Atomic<Bool>

  /// A flag that is not set, unless `isDisposed` says so.
  public init(isDisposed: Bool = false) { flag = Atomic(isDisposed) }

  /// Whether it was disposed of.
  public var isDisposed: Bool { flag.load(ordering: .acquiring) }

  /// Sets the flag.
  public func dispose() { flag.store(true, ordering: .releasing) }
}
