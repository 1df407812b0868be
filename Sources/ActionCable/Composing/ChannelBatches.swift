extension Observable {
  /// Collects elements into batches, each for `window` from its first element.
  ///
  /// No element is dropped, and the order is kept. The end first emits the elements collected so
  /// far. With a window of zero every element is a batch of its own, emitted at once.
  func batched(
    within window: Duration,
    scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    if window <= .zero { return map { [$0] } }
    let window = RxTimeInterval(window)
    return Observable<[Element]> { [run] down in
      let gate = SerialGate(down.lifetime)
      let timer = SerialDisposable()
      down.lifetime.add(timer)
      // Used inside the gate only.
      var waiting: [Element] = []
      func emit() {
        let batch = waiting
        waiting = []
        if !batch.isEmpty { down.next(batch) }
      }
      let next = gate.guarded { (element: Element) in
        waiting.append(element)
        guard waiting.count == 1 else { return }
        timer.disposable = scheduler.after(window) { gate.run((), emit) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        emit()
        if !down.lifetime.isDisposed { down.end(error) }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}
