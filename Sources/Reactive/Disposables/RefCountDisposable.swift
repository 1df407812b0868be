/// Disposes of a disposable once this object and all retained disposables are disposed of.
public final class RefCountDisposable: Cancelable {
  // The number of holders, of which this object is one until it is disposed of; nil once none
  // remains.
  private let holders = Locked<Int?>(1)
  private let primary = Lifetime()
  private let target: any Cancelable

  /// Creates an object that disposes of `disposable` when the last holder is disposed of.
  public init(disposable: any Disposable) { target = Disposables.create(with: disposable.dispose) }

  /// Whether the disposable is disposed of, or is about to be.
  public var isDisposed: Bool { holders.withLock { $0 == nil } }

  /// Returns a further holder; one that does nothing when the disposable is disposed of.
  public func retain() -> any Disposable {
    let isHeld: Void? = holders.withLock { $0? += 1 }
    return isHeld == nil ? Disposables.create() : Disposables.create(with: release)
  }

  /// Releases this object's hold; the last holder disposes of the disposable.
  public func dispose() { if primary.finish() { release() } }

  private func release() {
    let isLast = holders.withLock {
      $0 = $0.flatMap { $0 > 1 ? $0 - 1 : nil }
      return $0 == nil
    }
    if isLast { target.dispose() }
  }
}
