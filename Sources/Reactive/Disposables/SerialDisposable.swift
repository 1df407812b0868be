/// Holds one disposable at a time; a new one replaces the previous one, which is disposed of.
public final class SerialDisposable: Cancelable {
  private let place = Locked(Place())

  /// Creates an empty object.
  public init() {}

  /// Whether this object is disposed of.
  public var isDisposed: Bool { place.withLock { $0.isClosed } }

  /// The held disposable.
  ///
  /// Setting it disposes of the previous one. When this object is disposed of, the new one is
  /// disposed of at once.
  public var disposable: any Disposable {
    get { place.withLock { $0.held } ?? Disposables.create() }
    set { place.put(newValue) }
  }

  /// Disposes of the held disposable now, and of each one that is set later.
  ///
  /// When two threads call this at once, both dispose of a held subscription, and after either call
  /// its thread receives no more events. A disposable of another type is disposed of once: the
  /// second call may return earlier.
  public func dispose() { place.dispose() }
}

/// Holds one disposable, which is set once, after the creation.
public final class SingleAssignmentDisposable: Cancelable {
  private let place = Locked(Place())

  /// Creates an empty object.
  public init() {}

  /// Whether this object is disposed of.
  public var isDisposed: Bool { place.withLock { $0.isClosed } }

  /// Holds `disposable`, or disposes of it at once when this object is disposed of.
  ///
  /// A second call before `dispose()` is a programmer error and traps, as in RxSwift.
  public func setDisposable(_ disposable: any Disposable) {
    precondition(place.put(disposable), "A disposable was set before.")
  }

  /// Disposes of the held disposable now, or of one that is set later.
  ///
  /// Two threads may call this at once, as with a ``SerialDisposable``.
  public func dispose() { place.dispose() }
}

/// A place for one disposable.
private struct Place {
  var held: (any Disposable)?
  /// The lifetime that a thread is disposing of; a second thread may dispose of it too.
  var ending: Lifetime?
  var wasTaken = false
  var isClosed = false
}

extension Locked<Place> {
  /// Holds `disposable` and disposes of the previous one; once closed, disposes of `disposable`.
  ///
  /// Returns true for the first call.
  @discardableResult fileprivate func put(_ disposable: any Disposable) -> Bool {
    var replaced: (any Disposable)? = disposable
    let isFirst = withLock { place in
      defer { place.wasTaken = true }
      if !place.isClosed { swap(&place.held, &replaced) }
      return !place.wasTaken
    }
    replaced?.dispose()
    return isFirst
  }

  fileprivate func dispose() {
    let (held, ending) = withLock { place in
      let held = place.held
      place.ending = held as? Lifetime ?? place.ending
      (place.held, place.wasTaken, place.isClosed) = (nil, false, true)
      return (held, place.ending)
    }
    // A lifetime is closed when this returns, even if another thread closed it; no thread waits.
    guard let held else { return ending?.dispose() ?? () }
    held.dispose()
    withLock { $0.ending = nil }
    // Released here, without the lock.
    withExtendedLifetime(ending) {}
  }
}
