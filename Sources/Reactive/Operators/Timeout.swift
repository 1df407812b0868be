extension ObservableType {
  /// Fails with `RxError.timeout` when no element comes for `dueTime`, on `scheduler`.
  ///
  /// The time counts from the subscription and from each element.
  ///
  ///                -a--b-----c-|
  ///     timeout(4) -a--b---x
  @inlinable public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler) }

  /// Continues with `other` when no element comes for `dueTime`, on `scheduler`; the source is disposed
  /// of once `other` is subscribed, so what both share stays connected.
  ///
  /// The time counts from the subscription and from each element of the source.
  @inlinable public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    Observable { [run] down in
      let source = down.lifetime.child()
      let isLate = Cell(false)
      let gate = TimedGate(down.lifetime, scheduler) { _ in
        // It may have ended, with its end waiting at the gate.
        if source.isDisposed { return }
        isLate.value = true
        other.asObservable().start(down)
        source.dispose()
      }
      gate.after(dueTime)
      let next = gate.guarded { (element: Element) in
        if isLate.value { return }
        down.next(element)
        gate.after(dueTime)
      }
      if source.isDisposed { return }
      let end = gate.guarded { (error: (any Error)?) in if !isLate.value { down.end(error) } }
      run(source.observer(next: next, end: end))
    }
  }
}
