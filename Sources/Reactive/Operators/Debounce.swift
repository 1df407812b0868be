extension ObservableType {
  /// Emits an element once the source has been quiet for `dueTime` after it.
  ///
  /// A completion first emits the element that waits; an error drops it. Delivers on `scheduler`,
  /// and the terminal where it arrives.
  ///
  ///                 -a-b---c-|
  ///     debounce(2) -----b---(c|)
  @inlinable public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  {
    Observable { [run] down in
      let waiting = Cell<Element?>(nil)
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
