extension ObservableType {
  /// Delivers everything on `scheduler`, in order, as long as what waits there fits the buffer.
  ///
  /// As `observe(on:)`, with a bound for the elements that wait. The end waits behind them.
  ///
  /// With `suspend` a source that makes elements when it is asked (<doc:Timing>) makes no more than fit, and goes on when
  /// half of them are delivered: one that works on the thread of its caller goes on in the delivery, on `scheduler`, or
  /// where `subscribe(on:)` has begun it. While a buffer with `suspend` further down is full, this one delivers
  /// nothing, whatever its own policy.
  ///
  ///                                                    -1-2-3-4-5--------|
  ///     slow observer, buffer: .bounded(1, .dropOldest) -1---2---5--------|
  ///     slow observer, buffer: .bounded(1, .dropNewest) -1---2---4--------|
  ///
  /// - Parameters:
  ///   - buffer: how many elements may wait, and what happens when one more arrives.
  ///   - onDropped: called with each element that is dropped, with the number of elements that were dropped
  ///     since the subscription; on the thread that has sent the element which did not fit.
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

/// What is on its way to a scheduler, where only so many elements may wait.
@usableFromInline final class BoundedMailbox<Element>: @unchecked Sendable {
  // `lock` protects `waiting`, `ending` and `isScheduled`; the rest is immutable. There is one delivery at a time.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var waiting = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline var ending: (any Error)??
  @exclusivity(unchecked) @usableFromInline var isScheduled = false

  @usableFromInline let down: Observer<Element>
  @usableFromInline let target: DeliveryTarget
  @usableFromInline let limit: Int
  @usableFromInline let overflow: BufferingPolicy.Overflow
  @usableFromInline let dropped: DropCounter?
  /// There when sources are to be suspended.
  @usableFromInline let level: BufferLevel?
  /// Of a buffer further down.
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

  /// The lifetime of what delivers to this.
  @usableFromInline func makeSource() -> Lifetime {
    guard let level else { return Lifetime(parent: down.lifetime) }
    return SuspendableLifetime(parent: down.lifetime, Backpressure(level))
  }

  /// Adds an element; false when it was the one too many, and nothing more may come.
  @inlinable func received(_ element: Element) -> Bool {
    let runsAtOnce = target.runsAtOnce
    var removed: Element?
    level?.added()
    lock.lock()
    // While an element waits, its delivery is scheduled.
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

  /// Delivers as many elements as wait now, and not what arrives meanwhile: a busy source must not keep others from
  /// the queue.
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
      // One by one: those that wait are still to be dropped when others arrive.
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

  /// After a delivery: ends, waits for more, or schedules the delivery of what has arrived meanwhile.
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
