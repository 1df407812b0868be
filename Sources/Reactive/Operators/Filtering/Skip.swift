extension ObservableType {
  /// Emits all elements except the first `count`; a `count` of zero or less skips nothing.
  @inlinable public func skip(_ count: Int) -> Observable<Element> {
    Observable { [run] down in
      let remaining = Ref(count)
      run(
        down.with { element in
          if remaining.value > 0 { remaining.value -= 1 } else { down.next(element) }
        })
    }
  }

  /// Emits all elements from the first one on for which `predicate` returns false.
  ///
  /// An error that `predicate` throws ends the result and disposes of the source.
  ///
  ///                           -1--2--3--1-|
  ///     skip(while: { $0 < 3 }) -------3--1-|
  @preconcurrency @inlinable public func skip(
    while predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    stateful(from: true) { down, isSkipping, element in
      if isSkipping.value { isSkipping.value = try predicate(element) }
      if !isSkipping.value { down.next(element) }
    }
  }

  /// Emits the elements that arrive after the first element of `other`.
  ///
  /// An error of either observable ends the result. As in RxSwift, the result never ends when the
  /// source completes before `other` has emitted.
  ///
  ///                  -a--b--c--d-|
  ///     other        -----x
  ///     skip(until:) -------c--d-|
  @inlinable public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
    Observable { [run] down in
      let gate = SerialGate(down.lifetime)
      let isOpen = Ref(false)
      let opening = Lifetime(parent: down.lifetime)
      down.lifetime.run(
        run, next: gate.guarded { if isOpen.value { down.next($0) } },
        end: gate.guarded { error in
          if error != nil || isOpen.value { down.end(error) } else { opening.dispose() }
        })
      if opening.isDisposed { return }
      // An error may be queued behind the first element, which has disposed of `other`.
      let fail = gate.guarded { if !isOpen.value { down.end($0) } }
      let open = gate.guarded { (_: Source.Element) in
        isOpen.value = true
        opening.dispose()
      }
      other.run(opening.observer(next: open, end: { if let error = $0 { fail(error) } }))
    }
  }

  /// Emits the elements that arrive after `duration`.
  ///
  ///             -a--b--c--d-|
  ///     skip(6) -------c--d-|
  public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    Observable { [run] down in
      let gate = SerialGate(down.lifetime)
      let isOpen = Ref(false)
      let open = gate.guarded { isOpen.value = true }
      down.lifetime.add(scheduler.after(duration) { open(()) })
      let next = gate.guarded { if isOpen.value { down.next($0) } }
      down.lifetime.run(run, next: next, end: gate.guarded(down.end))
    }
  }
}
