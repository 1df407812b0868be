extension Observable where Element: EffectProtocol {
  /// Runs `effect` at once, and again when `interval` has passed after each of its ends.
  ///
  /// ```swift
  /// func stateEffects(_ state: State) -> [StateEffect<Action>] {
  ///   if state.isShown {
  ///     StateEffect(id: "prices") { .poll(loadPrices, every: .seconds(30), jitter: .upTo(0.1)) }
  ///   }
  /// }
  /// ```
  ///
  /// Two runs do not overlap, unlike those of ``timer(_:dueTime:period:scheduler:disposeBag:)``. To
  /// pause a poll while a screen is hidden, declare it in ``Composer/stateEffects(_:)``, as above:
  /// it ends when the screen disappears, and runs at once when the screen appears again.
  ///
  /// The poll ends when it is cancelled, or with the first error of a run: catch the error in
  /// `effect`, or give it a ``retry(_:if:)``.
  ///
  /// - Parameters:
  ///   - effect: effect to run.
  ///   - interval: time from the end of a run to the next run, on the composer's clock; less than a
  ///     millisecond counts as one.
  ///   - jitter: variation of the interval, so that clients do not all call a server at once; drawn
  ///     from ``Dependencies/random``; none by default.
  public static func poll(
    _ effect: Observable, every interval: Duration, jitter: Backoff.Jitter = .none
  ) -> Observable {
    .inContext(.poll) { context in
      let random = context.dependencies.random
      let pause = Observable.deferred {
        let varied = jitter.applied(to: interval, random: random.fraction())
        let delay = max(varied, .milliseconds(1))
        return Observable<Int>.timer(RxTimeInterval(delay), scheduler: context.scheduler)
          .flatMap { _ -> Observable in .empty() }
      }
      return .concat(Swift.repeatElement(effect.concat(pause), count: .max))
    }
  }
}
