extension Observable where Element: EffectProtocol {
  /// Ends this effect when `bag` is released or cancelled.
  ///
  /// It completes then, so that what was concatenated to it goes on. An effect that starts after its
  /// bag has gone completes at once.
  public func cancellable(_ bag: DisposeBag) -> Observable<Element> {
    Observable { [run, weak bag] down in
      guard let bag else { return down.end(nil) }
      let running = down.cancellation()
      bag.insert(running)
      if running.isClosed { return }
      down.lifetime.add(running)
      run(Observer(running, next: down.next, end: { if running.finish() { down.end($0) } }))
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
  public static func cancel(_ bag: inout DisposeBag) -> Observable<Element> {
    let old = bag
    bag = DisposeBag()
    return cancelling(old)
  }

  /// Ends everything in `bag`, which is nobody's any more.
  static func cancelling(_ bag: DisposeBag) -> Observable<Element> {
    let cancelled = CancelledBag(bag)
    return Observable(.direct) { down in
      cancelled.dispose()
      down.end(nil)
    }
  }
}

/// A bag that is to be disposed of: when it is told to, or when nobody will.
///
/// Never at once: the caller has exclusive access to the property that held it, and what ends may
/// reach for that property.
private final class CancelledBag: Sendable {
  private let bag: DisposeBag

  init(_ bag: DisposeBag) { self.bag = bag }

  deinit { bag.dispose() }

  func dispose() { bag.dispose() }
}

extension Observer {
  /// What ends this effect by its disposal: it completes.
  ///
  /// - Parameter owner: kept alive by it.
  func cancellation(keeping owner: AnyObject? = nil) -> ActionDisposable {
    ActionDisposable {
      // Whoever disposes of the whole wants to hear nothing.
      if lifetime.isDisposed { return }
      EffectEnd.cancelling { withExtendedLifetime(owner) { end(nil) } }
    }
  }
}
