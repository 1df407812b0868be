extension ObservableType {
  /// Emits an element once the source has been quiet for `dueTime` after it.
  ///
  /// A completion first emits the element that waits; an error drops it. Delivers on `scheduler`,
  /// and the terminal where it arrives.
  ///
  ///                 -a-b---c-|
  ///     debounce(2) -----b---(c|)
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<
    Element
  > {
    Observable { [run] down in
      let gate = Gate(down.lifetime)
      let waiting = Cell<Element?>(nil)
      // Numbers the timers: one that had begun to fire when it was replaced is told by its number.
      let latest = Cell(0)
      let timer = SerialDisposable()
      down.lifetime.add(timer)
      let emit = gate.guarded { (number: Int) in
        guard number == latest.value, let element = waiting.value else { return }
        waiting.value = nil
        down.next(element)
      }
      let next = gate.guarded { (element: Element) in
        waiting.value = element
        latest.value &+= 1
        let number = latest.value
        timer.disposable = scheduler.after(dueTime) { emit(number) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        timer.dispose()
        if error == nil { emit(latest.value) }
        if !down.lifetime.isDisposed { down.end(error) }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}
