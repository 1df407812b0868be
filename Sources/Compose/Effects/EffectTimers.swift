import Dispatch

extension Observable where Element: EffectProtocol {
  /// Sends `action` after `delay`.
  ///
  /// ```swift
  /// return .send(.hideBanner, after: .seconds(2)).cancellable(id: ID.banner, whenBusy: .replace)
  /// ```
  ///
  /// The delay begins when the effect starts, and passes on the composer's clock.
  public static func send(_ action: Element.Action, after delay: Duration) -> Observable {
    .inContext(.delay) { context in
      Observable<Int>.timer(RxTimeInterval(delay), scheduler: context.scheduler)
        .map { _ in Element.send(action) }
    }
  }

  /// Runs `effect` after `dueTime`, and then once in every `period`.
  ///
  /// With a `dueTime` of zero, the default, the first run starts at once, where the effect starts. A
  /// run does not wait for the end of the previous one. A clock that is late skips runs.
  ///
  /// - Parameters:
  ///   - effect: effect to run with each tick; most often `.send(...)`.
  ///   - dueTime: time before the first run.
  ///   - period: time between two runs.
  ///   - scheduler: clock; by default that of the composer or, outside of a composer, the main
  ///     queue's.
  ///   - disposeBag: additional bag; disposing of it ends the timer. The composer's bag ends the
  ///     timer too, like every effect.
  public static func timer(
    _ effect: Observable, dueTime: RxTimeInterval = .seconds(0), period: RxTimeInterval,
    scheduler: (any SchedulerType)? = nil, disposeBag: DisposeBag? = nil
  ) -> Observable {
    ticking(
      .timer, effect, dueTime: dueTime, period: period, scheduler: scheduler,
      disposeBag: disposeBag)
  }

  private static func ticking(
    _ kind: EffectKind, _ effect: Observable, dueTime: RxTimeInterval, period: RxTimeInterval,
    scheduler: (any SchedulerType)?, disposeBag: DisposeBag?
  ) -> Observable {
    let runs = Observable.inContext(kind) { context in
      let scheduler = scheduler ?? context.scheduler
      let isDueNow = dueTime.nanoseconds == 0
      let later = isDueNow ? period : dueTime
      let ticks = Observable<Int>.timer(later, period: period, scheduler: scheduler)
      return (isDueNow ? ticks.startWith(0) : ticks).flatMap { _ in effect }
    }
    return disposeBag.map { runs.cancellable($0) } ?? runs
  }

  /// Runs `effect` after `dueTime`, and then once in every `period`.
  ///
  /// With a `dueTime` of zero, the default, the first run starts at once.
  ///
  /// - Parameters:
  ///   - effect: effect to run with each tick; most often `.send(...)`.
  ///   - dueTime: time before the first run.
  ///   - period: time between two runs.
  ///   - scheduler: clock; by default that of the composer or, outside of a composer, the main
  ///     queue's.
  ///   - disposeBag: additional bag; disposing of it ends the timer. The composer's bag ends the
  ///     timer too, like every effect.
  @_disfavoredOverload public static func timer(
    _ effect: Observable, dueTime: Duration = .zero, period: Duration,
    scheduler: (any SchedulerType)? = nil, disposeBag: DisposeBag? = nil
  ) -> Observable {
    timer(
      effect, dueTime: RxTimeInterval(dueTime), period: RxTimeInterval(period),
      scheduler: scheduler, disposeBag: disposeBag)
  }

  /// Runs `effect` once in every `period`, for the first time after one `period`.
  ///
  /// - Parameters:
  ///   - effect: effect to run with each tick; most often `.send(...)`.
  ///   - period: time before the first run, and between two runs.
  ///   - scheduler: clock; by default that of the composer or, outside of a composer, the main
  ///     queue's.
  ///   - disposeBag: additional bag; disposing of it ends the timer. The composer's bag ends the
  ///     timer too, like every effect.
  public static func interval(
    _ effect: Observable, period: RxTimeInterval, scheduler: (any SchedulerType)? = nil,
    disposeBag: DisposeBag? = nil
  ) -> Observable {
    ticking(
      .interval, effect, dueTime: period, period: period, scheduler: scheduler,
      disposeBag: disposeBag)
  }

  /// Runs `effect` once in every `period`, for the first time after one `period`.
  ///
  /// - Parameters:
  ///   - effect: effect to run with each tick; most often `.send(...)`.
  ///   - period: time before the first run, and between two runs.
  ///   - scheduler: clock; by default that of the composer or, outside of a composer, the main
  ///     queue's.
  ///   - disposeBag: additional bag; disposing of it ends the timer. The composer's bag ends the
  ///     timer too, like every effect.
  @_disfavoredOverload public static func interval(
    _ effect: Observable, period: Duration, scheduler: (any SchedulerType)? = nil,
    disposeBag: DisposeBag? = nil
  ) -> Observable {
    interval(
      effect, period: RxTimeInterval(period), scheduler: scheduler, disposeBag: disposeBag)
  }

  /// The effect that `make` returns for the context of the reducer that creates the effect or, when
  /// no reducer does, of the task that starts it.
  static func inContext(
    _ kind: EffectKind?, _ make: @escaping @Sendable (EffectContext) -> Observable
  ) -> Observable {
    let creationContext = EffectContext.ambient
    return NumberedObservable(kind?.rawValue ?? 0) { down in
      down.runResult { make(creationContext ?? EffectContext.current ?? .main) }
    }
  }
}
