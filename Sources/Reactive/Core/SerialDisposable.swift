/// Holds one disposable at a time: a new one takes the place of the one before, which is disposed
/// of.
public final class SerialDisposable: Cancelable {
  private let lifetime: Lifetime
  private let current = Locked<(any Disposable)?>(nil)

  /// Holds nothing yet.
  public init() {
    let current = current
    lifetime = ActionDisposable {
      let last = current.withLock { current in
        defer { current = nil }
        return current
      }
      last?.dispose()
    }
  }

  /// Whether it was disposed of.
  public var isDisposed: Bool { lifetime.isDisposed }

  /// What it holds; setting it disposes of what it held before, or at once of the new one when this
  /// was disposed of.
  public var disposable: any Disposable {
    get { current.withLock { $0 } ?? Disposables.create() }
    set {
      let before = current.withLock { current in
        defer { current = newValue }
        return current
      }
      before?.dispose()
      guard isDisposed else { return }
      current.withLock { current in
        defer { current = nil }
        return current
      }?.dispose()
    }
  }

  /// Disposes of what it holds, and of whatever it is given from now on.
  public func dispose() { lifetime.dispose() }
}
