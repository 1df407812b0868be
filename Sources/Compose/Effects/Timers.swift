import Dispatch

extension Observable where Element: EffectProtocol {
  /// Runs `effect` after `dueTime` and then once in every `period`.
  ///
  /// With a `dueTime` of zero, the default, the first run is at once.
  ///
  /// - Parameters:
  ///   - effect: what is run each time; most often `.send(...)`.
  ///   - dueTime: the time before the first run.
  ///   - period: the time from run to run.
  ///   - scheduler: the clock; the composer's by default.
  ///   - disposeBag: a bag of its own to cancel it by. Like every effect it also ends with the
  ///     composer's bag, so `.cancel(&disposeBag)` of that one ends it in any case.
  public static func timer(
    _ effect: Observable, dueTime: RxTimeInterval = .seconds(0), period: RxTimeInterval,
    scheduler: (any SchedulerType)? = nil, disposeBag: DisposeBag? = nil
  ) -> Observable {
    let context = EffectContext.here
    let ticks = Observable.deferred {
      let scheduler = scheduler ?? (context ?? EffectContext.current ?? .main).scheduler
      let isDueNow = dueTime.nanoseconds == 0
      let later = isDueNow ? period : dueTime
      let ticks = Observable<Int>.timer(later, period: period, scheduler: scheduler)
      return (isDueNow ? ticks.startWith(0) : ticks).flatMap { _ in effect }
    }
    return disposeBag.map { ticks.cancellable($0) } ?? ticks
  }

  /// Runs `effect` once in every `period`, for the first time after one `period`.
  ///
  /// - Parameters:
  ///   - effect: what is run each time; most often `.send(...)`.
  ///   - period: the time before the first run, and from run to run.
  ///   - scheduler: the clock; the composer's by default.
  ///   - disposeBag: a bag of its own to cancel it by. Like every effect it also ends with the
  ///     composer's bag, so `.cancel(&disposeBag)` of that one ends it in any case.
  public static func interval(
    _ effect: Observable, period: RxTimeInterval, scheduler: (any SchedulerType)? = nil,
    disposeBag: DisposeBag? = nil
  ) -> Observable {
    timer(effect, dueTime: period, period: period, scheduler: scheduler, disposeBag: disposeBag)
  }
}
