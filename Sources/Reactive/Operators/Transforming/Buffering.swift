extension ObservableType {
  /// Emits the elements in arrays of at most `count` elements.
  ///
  /// An array is emitted when it has `count` elements, or `timeSpan` after the previous array, on
  /// `scheduler`. It may be empty. A completion first emits the collected elements; an error drops
  /// them.
  ///
  ///                                -abc----d-|
  ///     buffer(timeSpan: 4, count: 2) -ab---c---d-|
  @inlinable public func buffer(timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType)
    -> Observable<[Element]>
  {
    Observable<[Element]> { [run] down in
      let buffer = Ref<[Element]>([])
      func flush(_ gate: TimedGate) {
        let full = buffer.value
        buffer.value = []
        down.next(full)
        gate.after(timeSpan)
      }
      let gate = TimedGate(down.lifetime, scheduler, onTime: flush)
      gate.after(timeSpan)
      let next = gate.guarded { (element: Element) in
        buffer.value.append(element)
        if buffer.value.count == count { flush(gate) }
      }
      down.lifetime.run(
        run, next: next,
        end: gate.guarded { if $0 == nil { down.last(buffer.value) } else { down.end($0) } })
    }
  }

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
