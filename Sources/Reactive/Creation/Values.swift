extension ObservableType {
  /// One element, then completion, delivered while it is subscribed.
  @inlinable public static func just(_ element: Element) -> Observable<Element> { Just(element) }

  /// One element, then completion, delivered on `scheduler`.
  @inlinable public static func just(_ element: Element, scheduler: any ImmediateSchedulerType)
    -> Observable<Element>
  { from(CollectionOfOne(element), scheduler: scheduler) }

  /// No element: completes while it is subscribed.
  @inlinable public static func empty() -> Observable<Element> {
    Observable(.empty) { down in down.end(nil) }
  }

  /// Neither an element nor an end.
  @inlinable public static func never() -> Observable<Element> { Observable(.direct) { _ in } }

  /// No element: fails with `error` while it is subscribed.
  @inlinable public static func error(_ error: any Error) -> Observable<Element> {
    Observable(.direct) { down in down.end(error) }
  }

  /// The given elements, then completion.
  ///
  /// By default they are delivered on the current thread, one in turn with the other sources of
  /// the same subscription: `merge(of(1, 2, 3), of(4, 5, 6))` is 1, 4, 2, 5, 3, 6.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> { from(elements, scheduler: scheduler) }

  /// The elements of `array`, then completion; delivered like those of `of`.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    Observable { down in
      let rest = Cell(array[...])
      down.lifetime.repeating(on: scheduler) {
        guard let element = rest.value.popFirst() else { return down.ending() }
        down.next(element)
        return true
      }
    }
  }

  /// The elements of `sequence`, then completion; delivered like those of `of`.
  ///
  /// Every subscription makes an iterator of its own.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    Observable { down in
      let iterator = Cell(sequence.makeIterator())
      down.lifetime.repeating(on: scheduler) {
        guard let element = iterator.value.next() else { return down.ending() }
        down.next(element)
        return true
      }
    }
  }

  /// The element of `optional` when there is one, then completion.
  @inlinable public static func from(optional: Element?) -> Observable<Element> {
    if let optional { just(optional) } else { empty() }
  }

  /// The element of `optional` when there is one, then completion, delivered on `scheduler`.
  @inlinable public static func from(optional: Element?, scheduler: any ImmediateSchedulerType)
    -> Observable<Element>
  { from(optional.map { [$0] } ?? [], scheduler: scheduler) }
}

extension ObservableType where Element: RxAbstractInteger {
  /// `count` whole numbers from `start` on, then completion; delivered like those of `of`.
  ///
  /// A negative `count`, or numbers that `Element` cannot hold, are a programmer's error and trap,
  /// as in RxSwift.
  @inlinable public static func range(
    start: Element, count: Element,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    precondition(count >= 0, "range: count is \(count), and cannot be negative.")
    precondition(
      count == 0 || !start.addingReportingOverflow(count - 1).overflow,
      "range: \(count) numbers from \(start) on do not fit \(Element.self).")
    return Observable { down in
      let index = Cell<Element>(0)
      down.lifetime.repeating(on: scheduler) {
        guard index.value < count else { return down.ending() }
        let element = start &+ index.value
        index.value &+= 1
        down.next(element)
        return true
      }
    }
  }
}

/// The integers that `range`, `timer` and `interval` can count with.
public typealias RxAbstractInteger = FixedWidthInteger & Sendable

extension Observer {
  /// Completes; false, for a step that is the last.
  @inlinable func ending() -> Bool {
    end(nil)
    return false
  }
}

extension Lifetime {
  /// Calls `step` on `scheduler` until it returns false or this lifetime ends.
  @inlinable final func repeating(
    on scheduler: any ImmediateSchedulerType, _ step: @escaping () -> Bool
  ) {
    if scheduler is CurrentThreadScheduler { return Trampoline.loop { !self.isDisposed && step() } }
    add(scheduler.scheduleRecursive(()) { _, recurse in if step() { recurse(()) } })
  }
}
