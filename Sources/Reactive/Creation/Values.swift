extension ObservableType {
  /// Emits `element` and completes, in the call that subscribes.
  @inlinable public static func just(_ element: Element) -> Observable<Element> { Just(element) }

  /// Emits `element` and completes, on `scheduler`.
  @inlinable public static func just(_ element: Element, scheduler: any ImmediateSchedulerType)
    -> Observable<Element>
  { from(CollectionOfOne(element), scheduler: scheduler) }

  /// Completes without an element, in the call that subscribes.
  @inlinable public static func empty() -> Observable<Element> {
    Observable(.empty) { down in down.end(nil) }
  }

  /// Emits nothing and never ends.
  @inlinable public static func never() -> Observable<Element> { Observable(.direct) { _ in } }

  /// Fails with `error`, in the call that subscribes.
  @inlinable public static func error(_ error: any Error) -> Observable<Element> {
    Observable(.direct) { down in down.end(error) }
  }

  /// Emits the given elements and completes.
  ///
  /// By default the current thread delivers them, in turns with the other sources of the same
  /// subscription: `merge(of(1, 2, 3), of(4, 5, 6))` is 1, 4, 2, 5, 3, 6.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> { from(elements, scheduler: scheduler) }

  /// Emits the elements of `sequence` and completes; delivers like `of`.
  ///
  /// Every subscription makes its own iterator.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    Observable { down in Walk(sequence.makeIterator(), down).run(on: scheduler) }
  }

  /// Emits the element of `optional`, if there is one, and completes.
  @inlinable public static func from(optional: Element?) -> Observable<Element> {
    if let optional { just(optional) } else { empty() }
  }

  /// Emits the element of `optional`, if there is one, and completes, on `scheduler`.
  @inlinable public static func from(optional: Element?, scheduler: any ImmediateSchedulerType)
    -> Observable<Element>
  { from(optional.map { [$0] } ?? [], scheduler: scheduler) }
}

// MARK: - Generated elements

extension ObservableType {
  /// Emits `initialState` and then the results of `iterate` while `condition` returns true.
  ///
  /// `iterate` receives the previous element. The sequence completes after the last element, and
  /// fails with an error that a closure throws. Delivers like `of`.
  @preconcurrency @inlinable public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    Observable { down in
      let backpressure = down.lifetime.backpressure
      let steps = scheduler.scheduleRecursive(nil as Element?) { previous, recurse in
        if let backpressure, let pause = backpressure.pause {
          return backpressure.after(pause, in: down.lifetime) { recurse(previous) }
        }
        down.attempt {
          let element = try previous.map(iterate) ?? initialState
          guard try condition(element) else { return down.end(nil) }
          down.next(element)
          if !down.lifetime.isDisposed { recurse(element) }
        }
      }
      down.lifetime.add(steps)
    }
  }

  /// Emits `element` repeatedly, without end; delivers like `of`.
  @inlinable public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> { from(sequence(first: element) { _ in element }, scheduler: scheduler) }
}

extension ObservableType where Element: RxAbstractInteger {
  /// Emits `count` integers from `start` on and completes; delivers like `of`.
  ///
  /// A negative `count`, or numbers that `Element` cannot represent, are programmer errors and
  /// trap, as in RxSwift.
  @inlinable public static func range(
    start: Element, count: Element,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    precondition(count >= 0, "range: count is \(count), and cannot be negative.")
    precondition(
      count == 0 || !start.addingReportingOverflow(count - 1).overflow,
      "range: \(count) numbers from \(start) on do not fit \(Element.self).")
    let numbers = sequence(state: 0 as Element) { index -> Element? in
      if index == count { return nil }
      defer { index &+= 1 }
      return start &+ index
    }
    return from(numbers, scheduler: scheduler)
  }
}

/// The integer types that `range`, `timer` and `interval` can count with.
public typealias RxAbstractInteger = FixedWidthInteger & Sendable

/// Emits the elements of an iterator, one at each step.
@usableFromInline final class Walk<Elements: IteratorProtocol> {
  // One step at a time uses the iterator.
  @exclusivity(unchecked) @usableFromInline var elements: Elements
  @usableFromInline let down: Observer<Elements.Element>

  @inlinable init(_ elements: Elements, _ down: Observer<Elements.Element>) {
    self.elements = elements
    self.down = down
  }

  @inlinable func run(on scheduler: any ImmediateSchedulerType) {
    if let backpressure = down.lifetime.backpressure { return run(on: scheduler, backpressure) }
    // A closure that captures a single object reference allocates no memory.
    if scheduler is CurrentThreadScheduler { return Trampoline.current.schedule { self.turn() } }
    down.lifetime.add(scheduler.scheduleRecursive(()) { if self.step() { $1(()) } })
  }

  /// Runs a source that is suspended while a buffer has no room.
  @inlinable @inline(never) func run(
    on scheduler: any ImmediateSchedulerType, _ backpressure: Backpressure
  ) {
    if scheduler is CurrentThreadScheduler { return scheduleTurn(backpressure) }
    let lifetime = down.lifetime
    lifetime.add(
      scheduler.scheduleRecursive(()) { _, recurse in
        if let pause = backpressure.pause {
          backpressure.after(pause, in: lifetime) { recurse(()) }
        } else if self.step() {
          recurse(())
        }
      })
  }

  @inlinable func scheduleTurn(_ backpressure: Backpressure) {
    Trampoline.current.schedule { self.turn(backpressure) }
  }

  /// Steps until the buffer is full or other work is queued on the thread.
  @inlinable func turn(_ backpressure: Backpressure) {
    let current = Trampoline.current
    while true {
      if let pause = backpressure.pause {
        return backpressure.after(pause, in: down.lifetime) { self.scheduleTurn(backpressure) }
      }
      if !step() { return }
      if !current.queue.isEmpty { return scheduleTurn(backpressure) }
    }
  }

  /// Steps until other work is queued on the thread.
  @inlinable func turn() {
    let current = Trampoline.current
    while step() { if !current.queue.isEmpty { return current.schedule { self.turn() } } }
  }

  /// Emits an element or completes; returns false when no step remains.
  @inlinable @inline(__always) func step() -> Bool {
    if down.lifetime.isDisposed { return false }
    if let element = elements.next() {
      down.next(element)
      return true
    }
    down.end(nil)
    return false
  }
}
