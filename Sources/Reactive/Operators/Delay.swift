extension ObservableType {
  /// Emits everything `dueTime` later; an error passes at once and drops what waits.
  ///
  /// Delivers on `scheduler`, and errors where they arrive.
  ///
  ///              -a--b-c-|
  ///     delay(2) ---a--b-c-|
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    Observable { [run] down in
      let gate = TimedGate(down.lifetime, scheduler)
      // One timer for all that waits, for the first of it; the completion waits as nil.
      let waiting = Cell(Fifo<(element: Element?, arrival: UInt64)>())
      func deliverFirst() {
        guard let element = waiting.value.first?.element else { return down.end(nil) }
        down.next(element)
        _ = waiting.value.popFirst()
        guard let next = waiting.value.first else { return }
        let left = dueTime.left(since: next.arrival, scheduler.uptimeNanoseconds)
        gate.after(left, deliverFirst)
      }
      func receive(_ element: Element?) {
        waiting.value.append((element, scheduler.uptimeNanoseconds))
        if waiting.value.count == 1 { gate.after(dueTime, deliverFirst) }
      }
      down.lifetime.run(
        run, next: gate.guarded { receive($0) },
        end: gate.guarded { if $0 == nil { receive(nil) } else { down.end($0) } })
    }
  }

  /// Subscribes to the source `dueTime` later, on `scheduler`.
  ///
  ///                          -a--b-|
  ///     delaySubscription(2) ---a--b-|
  public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  {
    let source = asObservable()
    return Observable { down in down.lifetime.add(scheduler.after(dueTime) { source.start(down) }) }
  }
}
