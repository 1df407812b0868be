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
      let isLate = Ref(false)
      let gate = TimedGate(down.lifetime, scheduler) { _ in
        // The source may have ended, with its end queued at the gate.
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
