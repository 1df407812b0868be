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
      // An interval has no end: it keeps nothing of the observer but this.
      let next = down.next
      down.lifetime.add(
        scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) {
          next($0)
          return $0 &+ 1
        })
    }
  }
}
