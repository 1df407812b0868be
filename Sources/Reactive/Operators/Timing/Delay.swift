import Dispatch

extension ObservableType {
  /// Delivers elements and the completion `dueTime` later; an error passes at once.
  ///
  /// An error drops the delayed elements. Elements and the completion are delivered on `scheduler`,
  /// an error on the thread on which it arrives. A dispatch queue delivers all due elements as one
  /// piece of work; other schedulers deliver each as its own.
  ///
  ///              -a--b-c-|
  ///     delay(2) ---a--b-c-|
  @inlinable public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  {
    Observable { [run] down in
      // One timer serves all delayed elements and is set for the first one; nil is the completion.
      let waiting = Ref(Fifo<(element: Element?, arrival: UInt64)>())
      let gate = TimedGate(down.lifetime, scheduler) { gate in
        // A dispatch queue delivers the due elements in one turn; later arrivals have their own
        // turn.
        for number in stride(from: gate.joinsTurns ? waiting.value.count : 1, to: 0, by: -1) {
          guard let element = waiting.value.first?.element else { return down.end(nil) }
          down.next(element)
          _ = waiting.value.popFirst()
          guard let next = waiting.value.first, !down.lifetime.isDisposed else { return }
          let remaining = dueTime.remaining(since: next.arrival, scheduler.uptimeNanoseconds)
          if number == 1 || remaining.nanoseconds > 0 { return gate.after(remaining) }
        }
      }
      func receive(_ element: Element?) {
        waiting.value.append((element, scheduler.uptimeNanoseconds))
        if waiting.value.count == 1 { gate.after(dueTime) }
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
