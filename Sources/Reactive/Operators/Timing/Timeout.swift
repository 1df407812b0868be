extension ObservableType {
  /// Fails with `RxError.timeout`, on `scheduler`, when no element arrives within `dueTime`.
  ///
  /// The time begins with the subscription, and again with each element.
  ///
  ///                -a--b-----c-|
  ///     timeout(4) -a--b---x
  @inlinable public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler) }

  /// Continues with `other`, on `scheduler`, when no element arrives within `dueTime`.
  ///
  /// The time begins with the subscription, and again with each element of the source. The source
  /// is disposed of after the subscription to `other`, so a connection that both share stays open.
  @inlinable public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    Observable { [run] down in
      let source = down.lifetime.child()
      // Closed when the time has passed. Then elements are dropped before they wait at the gate,
      // inside which `other` may emit for long.
      let inTime = Lifetime()
      let gate = TimedGate(down.lifetime, scheduler) { _ in
        // The source may have ended, with its end queued at the gate.
        if source.isDisposed { return }
        inTime.finish()
        other.asObservable().start(down)
        source.dispose()
      }
      gate.after(dueTime)
      let next = gate.guarded { (element: Element) in
        if inTime.isClosed { return }
        down.next(element)
        gate.after(dueTime)
      }
      if source.isDisposed { return }
      let end = gate.guarded { (error: (any Error)?) in if !inTime.isClosed { down.end(error) } }
      run(
        source.observer(
          next: { if !inTime.isClosed { next($0) } }, end: { if !inTime.isClosed { end($0) } }))
    }
  }
}
