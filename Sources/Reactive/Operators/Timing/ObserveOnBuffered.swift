extension ObservableType {
  /// Delivers all events on `scheduler`, in order, with a buffer of limited size.
  ///
  /// Like `observe(on:)`, but with a limit for the queued elements. The end is delivered after
  /// them.
  ///
  /// With `suspend`, a source that makes elements on demand (<doc:Timing>) makes only as many as
  /// fit, and resumes when half of them are delivered. A source that works on the thread of its
  /// caller resumes in the delivery, on `scheduler`, or where `subscribe(on:)` began it. While a
  /// buffer with `suspend` further down is full, this one delivers nothing, regardless of its own
  /// policy.
  ///
  ///                                                    -1-2-3-4-5--------|
  ///     slow observer, buffer: .bounded(1, .dropOldest) -1---2---5--------|
  ///     slow observer, buffer: .bounded(1, .dropNewest) -1---2---4--------|
  ///
  /// - Parameters:
  ///   - scheduler: scheduler that delivers the events
  ///   - buffer: number of elements that may be queued, and treatment of further ones
  ///   - onDropped: called for each dropped element with the number of elements dropped since the
  ///     subscription, on the thread that sent the element which did not fit; nil by default
  @preconcurrency @inlinable public func observe(
    on scheduler: any ImmediateSchedulerType, buffer: BufferingPolicy,
    onDropped: (@Sendable (_ total: Int) -> Void)? = nil
  ) -> Observable<Element> {
    guard case .bounded(let limit, let overflow) = buffer else { return observe(on: scheduler) }
    return Observable { [run] down in
      let mailbox = BoundedMailbox(down, scheduler, max(1, limit), overflow, DropCounter(onDropped))
      let source = mailbox.makeSource()
      run(
        source.observer(
          next: { if !mailbox.received($0) { source.finish() } }, end: { mailbox.ended($0) }))
    }
  }
}

/// The events on their way to a scheduler, with a limited number of elements.
@usableFromInline final class BoundedMailbox<Element>: @unchecked Sendable {
  // `lock` protects `waiting`, `ending` and `isScheduled`; the other fields are immutable. There is
  // one delivery at a time.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var waiting = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline var ending: (any Error)??
  @exclusivity(unchecked) @usableFromInline var isScheduled = false

  @usableFromInline let down: Observer<Element>
  @usableFromInline let target: DeliveryTarget
  @usableFromInline let limit: Int
  @usableFromInline let overflow: BufferingPolicy.Overflow
  @usableFromInline let dropped: DropCounter?
  /// The level of this buffer, if it suspends its sources.
  @usableFromInline let level: BufferLevel?
  /// The backpressure of a buffer further down.
  @usableFromInline let backpressure: Backpressure?

  @usableFromInline init(
    _ down: Observer<Element>, _ scheduler: any ImmediateSchedulerType, _ limit: Int,
    _ overflow: BufferingPolicy.Overflow, _ dropped: DropCounter?
  ) {
    self.down = down
    target = DeliveryTarget(scheduler)
    self.limit = limit
    self.overflow = overflow
    self.dropped = dropped
    level = overflow == .suspend ? BufferLevel(limit: limit) : nil
    backpressure = down.lifetime.backpressure
  }

  /// Makes the lifetime of the source that delivers to this buffer.
  @usableFromInline func makeSource() -> Lifetime {
    guard let level else { return Lifetime(parent: down.lifetime) }
    return SuspendableLifetime(parent: down.lifetime, Backpressure(level))
  }

  /// Adds an element; returns false when the buffer has failed and accepts no more.
  @inlinable func received(_ element: Element) -> Bool {
    let runsAtOnce = target.runsAtOnce
    var removed: Element?
    level?.added()
    lock.lock()
    // While elements are queued, a delivery is scheduled.
    if waiting.count >= limit {
      switch overflow {
      case .dropOldest:
        removed = waiting.popFirst()
        waiting.append(element)
      case .dropNewest: removed = element
      case .fail: ending = .some(BufferOverflowError(limit: limit))
      case .suspend: waiting.append(element)
      }
      lock.unlock()
      if removed != nil { dropped?.count() }
      return overflow != .fail
    }
    waiting.append(element)
    let isFirst = !isScheduled
    isScheduled = true
    lock.unlock()
    if isFirst { if runsAtOnce { deliver() } else { schedule() } }
    return true
  }

  @inlinable func ended(_ error: (any Error)?) {
    lock.lock()
    ending = .some(error)
    let isFirst = !isScheduled
    isScheduled = true
    lock.unlock()
    if isFirst { schedule() }
  }

  @inlinable func schedule() { target.schedule(in: down.lifetime) { self.deliver() } }

  /// Delivers the elements that are queued now, but not those that arrive meanwhile.
  ///
  /// A busy source must not keep other work from the queue.
  @inlinable func deliver() {
    lock.lock()
    let ending = waiting.isEmpty ? self.ending : nil
    let count = target.deliversBursts ? waiting.count : 1
    lock.unlock()
    if let ending { return down.end(ending) }
    for _ in 0..<count {
      if let backpressure, let pause = backpressure.pause {
        return backpressure.after(pause, in: down.lifetime) { self.schedule() }
      }
      // One at a time: elements that remain queued may still be dropped when others arrive.
      lock.lock()
      let element = waiting.popFirst()
      lock.unlock()
      guard let element, !down.lifetime.isDisposed else { break }
      let pause = level?.removed()
      down.next(element)
      BufferLevel.resume(pause)
    }
    settle()
  }

  /// Ends after a delivery, becomes idle, or schedules the next delivery.
  @inlinable func settle() {
    if down.lifetime.isDisposed { return }
    lock.lock()
    let ending = waiting.isEmpty && target.deliversBursts ? self.ending : nil
    let isDone = waiting.isEmpty && self.ending == nil
    if isDone { isScheduled = false }
    lock.unlock()
    if let ending { return down.end(ending) }
    if !isDone { target.scheduleNext(in: down.lifetime) { self.deliver() } }
  }
}
