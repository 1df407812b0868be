extension ObservableType {
  /// Emits the elements in observables, one of which is open at a time.
  ///
  /// An observable completes when it has emitted `count` elements, or after `timeSpan`, on
  /// `scheduler`; the next one is emitted then. The end of the source ends the open observable
  /// first. Each delivers elements to its current observers only. The source is disposed of when
  /// neither the result nor one of the observables has an observer.
  public func window(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType)
    -> Observable<Observable<Element>>
  {
    Observable<Observable<Element>> { [run] down in
      let upstream = ObservedLifetime()
      upstream.removeObserver(atEndOf: down.lifetime)
      let window = Ref(PublishSubject<Element>())
      let remaining = Ref(count)
      func open(_ gate: TimedGate) {
        remaining.value = count
        if !down.lifetime.isDisposed { down.next(window.value.keeping(upstream)) }
        gate.after(timeSpan)
      }
      func roll(_ gate: TimedGate) {
        window.value.onCompleted()
        window.value = PublishSubject()
        open(gate)
      }
      let gate = TimedGate(upstream, scheduler, onTime: roll)
      open(gate)
      let next = gate.guarded { (element: Element) in
        window.value.onNext(element)
        remaining.value &-= 1
        if remaining.value == 0 { roll(gate) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        window.value.on(.end(error))
        down.end(error)
      }
      upstream.run(run, next: next, end: end)
    }
  }
}
