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
}
