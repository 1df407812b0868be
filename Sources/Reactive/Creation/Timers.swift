extension ObservableType where Element: RxAbstractInteger {
  /// Counts up from zero, once in every `period`, the first after one `period`; never ends.
  ///
  /// Delivers on `scheduler`. A tick that comes too late is skipped, not made up for.
  ///
  ///     interval(.seconds(1))   -0-1-2-3-
  @inlinable public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { timer(period, period: period, scheduler: scheduler) }

  /// Zero after `dueTime`, and then, with a `period`, counts on once in every `period`.
  ///
  /// Delivers on `scheduler`. Completes after the zero when there is no `period`, otherwise never
  /// ends.
  @inlinable public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { down in
      guard let period else { return down.lifetime.add(scheduler.after(dueTime) { down.last(0) }) }
      let ticks = Ticks(to: down.next)
      down.lifetime.add(
        scheduler.schedulePeriodic(ticks, startAfter: dueTime, period: period) { $0.told() })
    }
  }
}

/// What an interval keeps: it has no end, so nothing of the observer but how to tell it.
@usableFromInline struct Ticks<Element: RxAbstractInteger> {
  @usableFromInline let next: (Element) -> Void
  @usableFromInline var count: Element = 0

  @inlinable init(to next: @escaping (Element) -> Void) { self.next = next }

  @inlinable func told() -> Ticks {
    next(count)
    var following = self
    following.count &+= 1
    return following
  }
}
