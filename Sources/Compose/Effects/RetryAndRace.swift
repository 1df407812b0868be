extension Observable where Element: EffectProtocol {
  /// Runs this effect again when it has failed, after the delays of `backoff`.
  ///
  /// ```swift
  /// return .run { [api] effect in
  ///   effect.onNext(.send(.loaded(try await api.load())))
  /// }
  /// .retry(.exponential(maxAttempts: 5))
  /// .catch { .send(.failed($0)) }
  /// ```
  ///
  /// After the last attempt the effect fails with the last error. A `catch` belongs behind the
  /// retry, as above: an effect whose `.run` has a `catch` of its own does not fail.
  ///
  /// The delays pass on the composer's clock, and their jitter is drawn from
  /// ``Dependencies/random``. Attempts are counted from the start of the effect.
  ///
  /// - Parameters:
  ///   - backoff: number of attempts after the first one, and the delays before them.
  ///   - isTransient: returns whether an error is worth another attempt; all are by default, except
  ///     `CancellationError`, which is never.
  public func retry(
    _ backoff: Backoff, if isTransient: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> Observable {
    .inContext(effectKind) { context in
      self.retry(
        backoff, scheduler: context.scheduler,
        if: { !($0 is CancellationError) && isTransient($0) },
        random: context.dependencies.random.fraction)
    }
  }

  /// Runs `effects` at the same time until one of them sends, completes or fails; that one goes on,
  /// and the others are cancelled.
  ///
  /// ```swift
  /// return .race(load, .send(.timedOut, after: .seconds(10)))
  /// ```
  ///
  /// They start in this order. An effect that sends or ends when it starts keeps later ones from
  /// starting: `.none` wins over all that follow it. A race of no effects completes at once.
  public static func race(_ effects: Observable...) -> Observable { race(effects) }

  /// Runs `effects` at the same time until one of them sends, completes or fails; that one goes on,
  /// and the others are cancelled.
  public static func race(_ effects: [Observable]) -> Observable {
    effects.isEmpty ? .none : Observable.amb(effects).named(.race)
  }
}
