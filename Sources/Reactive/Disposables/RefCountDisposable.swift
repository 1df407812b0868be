/// Disposes of a disposable once it was disposed of itself and all that was retained, too.
public final class RefCountDisposable: Cancelable {
  // One of them is this object, until it is disposed of; nil once there is none.
  private let holders = Locked<Int?>(1)
  private let primary = Lifetime()
  private let target: any Cancelable

  /// Disposes of `disposable`.
  public init(disposable: any Disposable) { target = Disposables.create(with: disposable.dispose) }

  /// Whether what it holds was disposed of, or is about to be.
  public var isDisposed: Bool { holders.withLock { $0 == nil } }

  /// Something to be disposed of before what this holds is; nothing when that was disposed of.
  public func retain() -> any Disposable {
    let isHeld: Void? = holders.withLock { $0? += 1 }
    return isHeld == nil ? Disposables.create() : Disposables.create(with: release)
  }

  /// Disposes of what it holds, or leaves that to the last that was retained.
  public func dispose() { if primary.finish() { release() } }

  private func release() {
    let isLast = holders.withLock {
      $0 = $0.flatMap { $0 > 1 ? $0 - 1 : nil }
      return $0 == nil
    }
    if isLast { target.dispose() }
  }
}
