extension ObservableType where Element: RxAbstractInteger {
  /// Counts up from zero, one number in every `period`; never ends.
  ///
  /// The first number follows after one `period`. Delivers on `scheduler`. A late tick is skipped,
  /// not made up for.
  ///
  ///     interval(.seconds(1))   -0-1-2-3-
  @inlinable public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { timer(period, period: period, scheduler: scheduler) }

  /// Emits zero after `dueTime` and, with a `period`, the next number in every `period`.
  ///
  /// Delivers on `scheduler`. Without a `period` it completes after the zero; with one it never
  /// ends.
  @inlinable public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { down in
      guard let period else { return down.lifetime.add(scheduler.after(dueTime) { down.last(0) }) }
      let ticks = TickState(to: down.next)
      down.lifetime.add(
        scheduler.schedulePeriodic(ticks, startAfter: dueTime, period: period) { $0.emitNext() })
    }
  }
}

/// The state of an interval: the count and the observer's closure for elements; it has no end.
@usableFromInline struct TickState<Element: RxAbstractInteger> {
  @usableFromInline let next: (Element) -> Void
  @usableFromInline var count: Element = 0

  @inlinable init(to next: @escaping (Element) -> Void) { self.next = next }

  @inlinable func emitNext() -> TickState {
    next(count)
    var following = self
    following.count &+= 1
    return following
  }
}
