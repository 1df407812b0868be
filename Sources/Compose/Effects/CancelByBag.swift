extension Observable where Element: EffectProtocol {
  /// Ends this effect when `bag` is disposed of or released.
  ///
  /// The effect completes then, so that a concatenated effect starts. When the bag is released
  /// before the effect starts, the effect completes at once.
  public func cancellable(_ bag: DisposeBag) -> Observable {
    NumberedObservable(kindNumber) { [run, weak bag] down in
      if let bag { down.run(run, endedBy: { bag.insert($0) }) } else { down.end(nil) }
    }
  }

  /// Ends all effects in `bag` and replaces it with a new bag.
  ///
  /// ```swift
  /// case .stopTimer:
  ///   state.isRunning = false
  ///   return .cancel(&disposeBag)
  /// ```
  ///
  /// The bag is replaced at once. The old bag is disposed of when the returned effect starts, after
  /// the state was published, even when other code holds the old bag. From then on the old bag
  /// disposes of everything that is inserted. The composer continues to reduce.
  public static func cancel(_ bag: inout DisposeBag) -> Observable {
    let old = bag
    bag = DisposeBag()
    return cancelling(old.dispose)
  }

  /// An effect that calls `cancel` once: when it starts, or when it is released without being
  /// started.
  ///
  /// `cancel` is not called at once: the caller has exclusive access to the property that held the
  /// bag, and an effect that ends may access that property.
  static func cancelling(_ cancel: @escaping () -> Void) -> Observable {
    let cancelled = DisposeBag(disposing: ActionDisposable(cancel))
    return Observable(.direct) { down in
      cancelled.dispose()
      down.end(nil)
    }
  }
}

extension Observer {
  /// Runs `source` and completes when the container disposes of the lifetime that it receives.
  ///
  /// Completes at once when the container is closed. When another thread delivers an element in that
  /// moment, that thread delivers the completion afterwards.
  ///
  /// - Parameters:
  ///   - source: work to start.
  ///   - container: stores the lifetime that ends the work.
  ///   - owner: object that is kept alive while the work runs.
  func run(
    _ source: (Observer) -> Void, endedBy container: (Lifetime) -> Void,
    keeping owner: AnyObject? = nil
  ) {
    // The thread that cancels must not continue with what follows while the source's thread is still
    // inside the operators behind this.
    let gate = SerialGate(lifetime)
    let running = ActionDisposable {
      // The whole subscription was disposed of: its observer must not receive a completion.
      if lifetime.isDisposed { return }
      gate.run(owner) { owner in
        EffectOutcome.cancelling(lifetime) { withExtendedLifetime(owner) { end(nil) } }
      }
    }
    container(running)
    if running.isClosed { return }
    lifetime.add(running)
    source(running.observer(next: gate.guarded(next), end: gate.guarded(end)))
  }
}
