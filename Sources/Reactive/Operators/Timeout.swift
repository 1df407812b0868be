extension ObservableType {
  /// Fails with `RxError.timeout` when no element comes for `dueTime`, on `scheduler`.
  ///
  /// The time counts from the subscription and from each element.
  ///
  ///                -a--b-----c-|
  ///     timeout(4) -a--b---x
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler) }

  /// Continues with `other` when no element comes for `dueTime`, on `scheduler`; the source is disposed
  /// of once `other` is subscribed, so what both share stays connected.
  ///
  /// The time counts from the subscription and from each element of the source.
  public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    Observable { [run] down in
      let gate = TimedGate(down.lifetime, scheduler)
      let source = Lifetime(parent: down.lifetime)
      let isLate = Cell(false)
      func wait() {
        gate.after(dueTime) {
          // It may have ended, with its end waiting at the gate.
          if source.isDisposed { return }
          isLate.value = true
          other.asObservable().start(down)
          source.dispose()
        }
      }
      wait()
      let next = gate.guarded { (element: Element) in
        if isLate.value { return }
        down.next(element)
        wait()
      }
      if source.isDisposed { return }
      let end = gate.guarded { (error: (any Error)?) in if !isLate.value { down.end(error) } }
      run(source.observer(next: next, end: end))
    }
  }
}
