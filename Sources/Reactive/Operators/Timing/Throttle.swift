import Dispatch

extension ObservableType {
  /// Emits at most one element in every `dueTime`: the first and, with `latest`, the last one.
  ///
  /// The last element that arrives during `dueTime` is held, and emitted when `dueTime` has passed.
  /// A completion waits for the held element; an error does not. An element is delivered on the
  /// thread of the source or, if it was held, on `scheduler`.
  ///
  ///                 -ab-c---d-|
  ///     throttle(2) -a-b-c--d-|
  @inlinable public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { [run] down in
      let held = Ref<Element?>(nil)
      let lastSent = Ref<UInt64?>(nil)
      let hasCompleted = Ref(false)
      func emit(_ element: Element) {
        held.value = nil
        down.next(element)
        lastSent.value = scheduler.uptimeNanoseconds
      }
      let gate = TimedGate(down.lifetime, scheduler) { _ in
        guard let element = held.value else { return }
        emit(element)
        if hasCompleted.value, !down.lifetime.isDisposed { down.end(nil) }
      }
      let next = gate.guarded { (element: Element) in
        guard let last = lastSent.value else { return emit(element) }
        let remaining = dueTime.remaining(since: last, scheduler.uptimeNanoseconds)
        if remaining.nanoseconds == 0 { return emit(element) }
        guard latest else { return }
        let isFirst = held.value == nil
        held.value = element
        if isFirst { gate.after(remaining) }
      }
      let end = gate.guarded { (error: (any Error)?) in
        hasCompleted.value = error == nil
        if error != nil || held.value == nil { down.end(error) }
      }
      down.lifetime.run(run, next: next, end: end)
    }
  }
}
