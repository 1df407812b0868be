extension Observable where Element: EffectProtocol {
  /// Starts this effect when no other effect of its id was created for `interval`.
  ///
  /// A newer effect of the id cancels the one that waits or runs, as with ``latest(id:)``.
  ///
  /// Do not use the same id inside this effect: an inner `.replace` or `.ignore` of the id would
  /// end this effect before it runs.
  ///
  /// - Parameters:
  ///   - id: identity among the effects of the composer; ``cancel(id:)`` ends the effect.
  ///   - interval: time without a newer effect.
  ///   - scheduler: clock of the interval; the composer's by default.
  public func debounce(
    id: some Hashable & Sendable, for interval: Duration,
    scheduler: (any SchedulerType)? = nil
  ) -> Observable {
    let clock = scheduler ?? EffectContext.clock
    return delaySubscription(RxTimeInterval(interval), scheduler: clock)
      .latest(id: id, kindNumber)
  }

  /// Starts at most one effect of this id in each `interval`, the first one at once.
  ///
  /// Do not use the same id inside this effect: an inner debounce, `.replace` or `.ignore` of the
  /// id would end this effect before it runs.
  ///
  /// - Parameters:
  ///   - id: identity among the effects of the composer; ``cancel(id:)`` ends the effect and the
  ///     interval.
  ///   - interval: minimum time between two starts.
  ///   - latest: true to start the last effect that was held back at the end of the interval, which
  ///     begins the next interval; true by default, as in the observable `throttle`.
  ///   - scheduler: clock of the interval; the composer's by default.
  public func throttle(
    id: some Hashable & Sendable, for interval: Duration, latest: Bool = true,
    scheduler: (any SchedulerType)? = nil
  ) -> Observable {
    let effect = cancellable(id: id)
    let clock = scheduler ?? EffectContext.clock
    let interval = RxTimeInterval(interval)
    return identified(by: id, kindNumber) { ticket, _, down in
      let effects = ticket.effects
      let start = { @Sendable isDue in
        effects.throttledStart(every: interval, latest: latest, isDue: isDue, clock)
      }
      switch start(false) {
      case .now: effect.run(down)
      case .after(let delay):
        let due = effect.do(onSubscribe: { _ = start(true) })
        down.run(
          due.delaySubscription(delay, scheduler: clock).run, endedBy: effects.replaceWaiting)
      case .never: down.end(nil)
      }
    }
  }
}
