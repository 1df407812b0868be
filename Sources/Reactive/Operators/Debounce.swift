extension ObservableType {
  /// Emits an element once the source has been quiet for `dueTime` after it.
  ///
  /// A completion first emits the element that waits; an error drops it. Delivers on `scheduler`,
  /// and the terminal where it arrives.
  ///
  ///                 -a-b---c-|
  ///     debounce(2) -----b---(c|)
  public func debounce(
    _ dueTime: RxTimeInterval,
    scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { [run] down in
      let gate = Gate(down.lifetime)
      let waiting = Cell<Element?>(nil)
      let timer = SerialDisposable()
      down.lifetime.add(timer)
      let emit = gate.guarded {
        guard let element = waiting.value else { return }
        waiting.value = nil
        down.next(element)
      }
      let next = gate.guarded { (element: Element) in
        waiting.value = element
        timer.disposable = scheduler.after(dueTime) { emit(()) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        timer.dispose()
        if error == nil { emit(()) }
        if !down.lifetime.isDisposed { down.end(error) }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}
