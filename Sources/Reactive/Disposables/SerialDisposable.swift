/// Holds one disposable at a time; a new one replaces the previous one, which is disposed of.
public final class SerialDisposable: Cancelable {
  private let state = Locked(DisposableState())

  /// Creates an empty object.
  public init() {}

  /// Whether this object is disposed of.
  public var isDisposed: Bool { state.withLock { $0.isClosed } }

  /// The held disposable.
  ///
  /// Setting it disposes of the previous one. When this object is disposed of, the new one is
  /// disposed of at once.
  public var disposable: any Disposable {
    get { state.withLock { $0.held } ?? Disposables.create() }
    set { state.put(newValue) }
  }

  /// Disposes of the held disposable now, and of each one that is set later.
  ///
  /// When two threads call this at once, both dispose of a held subscription, and after either call
  /// its thread receives no more events. A disposable of another type is disposed of once: the
  /// second call may return earlier.
  public func dispose() { state.dispose() }
}

/// Holds one disposable, which is set once, after the creation.
public final class SingleAssignmentDisposable: Cancelable {
  private let state = Locked(DisposableState())

  /// Creates an empty object.
  public init() {}

  /// Whether this object is disposed of.
  public var isDisposed: Bool { state.withLock { $0.isClosed } }

  /// Holds `disposable`, or disposes of it at once when this object is disposed of.
  ///
  /// A second call before `dispose()` is a programmer error and traps, as in RxSwift.
  public func setDisposable(_ disposable: any Disposable) {
    precondition(state.put(disposable), "A disposable was set before.")
  }

  /// Disposes of the held disposable now, or of one that is set later.
  ///
  /// Two threads may call this at once, as with a ``SerialDisposable``.
  public func dispose() { state.dispose() }
}

/// The state of a container of one disposable.
private struct DisposableState {
  var held: (any Disposable)?
  /// The lifetime that a thread is disposing of; a second thread may dispose of it too.
  var ending: Lifetime?
  var wasTaken = false
  var isClosed = false
}

extension Locked<DisposableState> {
  /// Holds `disposable` and disposes of the previous one; once closed, disposes of `disposable`.
  ///
  /// Returns true for the first call.
  @discardableResult fileprivate func put(_ disposable: any Disposable) -> Bool {
    var replaced: (any Disposable)? = disposable
    let isFirst = withLock { state in
      defer { state.wasTaken = true }
      if !state.isClosed { swap(&state.held, &replaced) }
      return !state.wasTaken
    }
    replaced?.dispose()
    return isFirst
  }

  fileprivate func dispose() {
    let (held, ending) = withLock { state in
      let held = state.held
      state.ending = held as? Lifetime ?? state.ending
      (state.held, state.wasTaken, state.isClosed) = (nil, false, true)
      return (held, state.ending)
    }
    // A lifetime is closed when this returns, even if another thread closed it; no thread waits.
    guard let held else { return ending?.dispose() ?? () }
    held.dispose()
    withLock { $0.ending = nil }
    // Released here, without the lock.
    withExtendedLifetime(ending) {}
  }
}
