/// Holds one disposable at a time: a new one takes the place of the one before, which is disposed
/// of.
public final class SerialDisposable: Cancelable {
  private let place = Locked(Place())

  /// Holds nothing yet.
  public init() {}

  /// Whether it was disposed of.
  public var isDisposed: Bool { place.withLock { $0.isClosed } }

  /// What it holds; setting it disposes of what it held before, or at once of the new one when this
  /// was disposed of.
  public var disposable: any Disposable {
    get { place.withLock { $0.held } ?? Disposables.create() }
    set { place.put(newValue) }
  }

  /// Disposes of what it holds, and of whatever it is given from now on.
  ///
  /// When two threads do that at once, both dispose of a subscription that it holds, and either hears nothing
  /// afterwards. What is not of this package is disposed of once: the second call may return before.
  public func dispose() { place.dispose() }
}

/// Holds one disposable, which is given later and once.
public final class SingleAssignmentDisposable: Cancelable {
  private let place = Locked(Place())

  /// Holds nothing yet.
  public init() {}

  /// Whether it was disposed of.
  public var isDisposed: Bool { place.withLock { $0.isClosed } }

  /// Holds `disposable`, or disposes of it at once when this was disposed of.
  ///
  /// A second call before `dispose()` traps: a programmer's error, as in RxSwift.
  public func setDisposable(_ disposable: any Disposable) {
    precondition(place.put(disposable), "A disposable was set before.")
  }

  /// Disposes of what it holds, or of what it is given later.
  ///
  /// Two threads that do that at once may do so as with a ``SerialDisposable``.
  public func dispose() { place.dispose() }
}

/// Room for one disposable.
private struct Place {
  var held: (any Disposable)?
  /// What it held, while a thread disposes of it: it may be disposed of twice.
  var ending: Lifetime?
  var wasTaken = false
  var isClosed = false
}

extension Locked<Place> {
  /// Takes `disposable` in and disposes of the one before, or of `disposable` itself when this is
  /// closed; true for the first.
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
    // A lifetime is closed when this has returned, whoever closed it, and nobody waits.
    guard let held else { return ending?.dispose() ?? () }
    held.dispose()
    withLock { $0.ending = nil }
    // Released here, unlocked.
    withExtendedLifetime(ending) {}
  }
}
