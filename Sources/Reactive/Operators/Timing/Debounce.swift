extension ObservableType {
  /// Emits an element once the source has emitted nothing for `dueTime` after it.
  ///
  /// A completion first emits the pending element; an error drops it. An element is delivered on
  /// `scheduler`, and the terminal, with a pending element before it, on the thread of the source.
  ///
  ///
  ///                 -a-b---c-|
  ///     debounce(2) -----b---(c|)
  @inlinable public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  {
    Observable { [run] down in
      let waiting = Ref<Element?>(nil)
      func emit() {
        guard let element = waiting.value else { return }
        waiting.value = nil
        down.next(element)
      }
      let gate = TimedGate(down.lifetime, scheduler) { _ in emit() }
      let next = gate.guarded { (element: Element) in
        waiting.value = element
        gate.after(dueTime)
      }
      let end = gate.guarded { (error: (any Error)?) in
        gate.cancel()
        if error == nil { emit() }
        if !down.lifetime.isDisposed { down.end(error) }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}
