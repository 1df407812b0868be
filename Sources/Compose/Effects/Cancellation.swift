extension Observable where Element: EffectProtocol {
  /// Ends this effect when `bag` is released or cancelled.
  ///
  /// It completes then, so that what was concatenated to it goes on. An effect that starts after its
  /// bag has gone completes at once.
  public func cancellable(_ bag: DisposeBag) -> Observable {
    Observable { [run, weak bag] down in
      if let bag { down.run(run, endedBy: { bag.insert($0) }) } else { down.end(nil) }
    }
  }

  /// Ends everything in `bag` and puts a new one in its place.
  ///
  /// ```swift
  /// case .stopTimer:
  ///   state.isRunning = false
  ///   return .cancel(&disposeBag)
  /// ```
  ///
  /// The new bag is there at once. The old one is disposed of when the effect starts, after the
  /// reducer's state is published, whoever else holds it; from then on it refuses what comes late. The
  /// composer goes on reducing.
  public static func cancel(_ bag: inout DisposeBag) -> Observable {
    let old = bag
    bag = DisposeBag()
    return cancelling(old.dispose)
  }

  /// Calls `cancel` once: when it starts, or is dropped.
  ///
  /// Never at once: the caller has exclusive access to the property that held the bag, and what ends
  /// may reach for that property.
  static func cancelling(_ cancel: @escaping () -> Void) -> Observable {
    let cancelled = DisposeBag(disposing: ActionDisposable(cancel))
    return Observable(.direct) { down in
      cancelled.dispose()
      down.end(nil)
    }
  }
}

extension Observer {
  /// Runs `source`, which completes when `container` disposes of what it is given: at once, when it
  /// takes nothing in.
  ///
  /// - Parameter owner: kept alive as long as it runs.
  func run(
    _ source: (Observer) -> Void, endedBy container: (Lifetime) -> Void,
    keeping owner: AnyObject? = nil
  ) {
    let running = ActionDisposable {
      // Whoever disposes of the whole wants to hear nothing.
      if lifetime.isDisposed { return }
      EffectEnd.cancelling { withExtendedLifetime(owner) { end(nil) } }
    }
    container(running)
    if running.isClosed { return }
    lifetime.add(running)
    source(running.observer(next: next, end: end))
  }
}
