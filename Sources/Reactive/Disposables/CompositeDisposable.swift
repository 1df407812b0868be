import Synchronization

/// Disposes of all that it holds, in the order it came.
///
/// It holds what it was given until that is removed, ended or not; a ``DisposeBag`` lets go of what
/// ends.
public final class CompositeDisposable: Cancelable {
  /// Names a disposable inside.
  public struct DisposeKey: Sendable { fileprivate let number: Int }

  // Nil once it was disposed of.
  private let held = Locked<[Int: any Disposable]?>([:])
  private let inserted = Atomic(0)

  /// Holds `disposables`.
  public init(disposables: [any Disposable]) { for each in disposables { _ = insert(each) } }

  /// Holds `disposables`; none by default.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  /// Whether it was disposed of.
  public var isDisposed: Bool { held.withLock { $0 == nil } }

  /// How many it holds.
  public var count: Int { held.withLock { $0?.count ?? 0 } }

  /// Holds `disposable`, or disposes of it at once when this was disposed of.
  ///
  /// - Returns: what removes it again; nil when this was disposed of.
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let number = inserted.add(1, ordering: .relaxed).newValue
    let isHeld: Void? = held.withLock { $0?[number] = disposable }
    if isHeld != nil { return DisposeKey(number: number) }
    disposable.dispose()
    return nil
  }

  /// Disposes of the one that `disposeKey` names and lets go of it; does nothing a second time.
  public func remove(for disposeKey: DisposeKey) {
    held.withLock { $0?.removeValue(forKey: disposeKey.number) }?.dispose()
  }

  /// Disposes of everything in it, and of whatever is inserted from now on.
  public func dispose() {
    let all = held.replace(with: nil) ?? [:]
    for each in all.sorted(by: { $0.key < $1.key }) { each.value.dispose() }
  }
}
