extension ObservableType {
  /// Delivers everything on `scheduler`, in order.
  ///
  /// What arrives while a delivery runs there waits, unbounded, and goes with it: one hop for a
  /// burst. After disposal nothing more is delivered, also of what has hopped already. On
  /// `MainScheduler.instance`, what arrives on the main queue is delivered at once.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    Observable { [run] down in
      let mailbox = Mailbox(down, scheduler)
      down.lifetime.run(run, next: { mailbox.received($0) }, end: { mailbox.ended($0) })
    }
  }

  /// Subscribes on `scheduler`, and disposes of the source there too.
  ///
  /// It says where the source begins its work, not where it delivers; that is `observe(on:)`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let observable = asObservable()
    return Observable { down in
      let start = scheduler.schedule(()) {
        // Silent at once after a disposal: that the source's turn comes would be too late.
        let source = Lifetime()
        let end = { (error: (any Error)?) in
          // As in RxSwift, what an operator made releases what it holds when it ends.
          if observable.kind == .direct { return down.end(error) }
          guard source.close() else { return }
          down.end(error)
          source.release()
        }
        observable.start(
          Observer(source, next: { if !down.lifetime.isDisposed { down.next($0) } }, end: end))
        return Disposables.create {
          _ = scheduler.schedule(()) {
            source.dispose()
            return Disposables.create()
          }
        }
      }
      down.lifetime.add(start)
    }
  }
}

/// What is on its way to a scheduler.
///
/// All of it is inlinable: a delivery that does not know the type of its elements asks for it at each.
@usableFromInline final class Mailbox<Element>: @unchecked Sendable {
  // `lock` protects `arrived`, `ending` and `isScheduled`; `batch` belongs to the delivery, of which
  // there is one at a time.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var arrived = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline var ending: (any Error)??
  @exclusivity(unchecked) @usableFromInline var isScheduled = false
  @exclusivity(unchecked) @usableFromInline var batch = Fifo<Element>()

  @usableFromInline let down: Observer<Element>
  @usableFromInline let scheduler: any ImmediateSchedulerType
  /// Queues deliver a burst in one hop; elsewhere, as in RxSwift, each event is scheduled by itself,
  /// which in virtual time shows.
  @usableFromInline let deliversBursts: Bool
  /// The scheduler, when it is one that may run work at once.
  @usableFromInline let main: MainScheduler?

  @usableFromInline init(_ down: Observer<Element>, _ scheduler: any ImmediateSchedulerType) {
    self.down = down
    self.scheduler = scheduler
    main = scheduler as? MainScheduler
    deliversBursts =
      scheduler is SerialDispatchQueueScheduler || scheduler is ConcurrentDispatchQueueScheduler
  }

  @inlinable func received(_ element: Element) {
    let runsAtOnce = main?.runsAtOnce ?? false
    lock.lock()
    let isFirst = !isScheduled
    isScheduled = true
    if isFirst, runsAtOnce {
      lock.unlock()
      down.next(element)
      return settle()
    }
    arrived.append(element)
    lock.unlock()
    if isFirst { schedule() }
  }

  @inlinable func ended(_ error: (any Error)?) {
    lock.lock()
    ending = .some(error)
    let isFirst = !isScheduled
    isScheduled = true
    lock.unlock()
    if isFirst { schedule() }
  }

  /// Has what waits delivered, by `scheduler` or by another one on the same queue.
  @inlinable func schedule(by other: (any ImmediateSchedulerType)? = nil) {
    let hop = Lifetime(parent: down.lifetime)
    hop.add(
      (other ?? scheduler).schedule(()) {
        hop.dispose()
        self.deliver()
        return Disposables.create()
      })
  }

  /// Delivers what has arrived, and not what arrives meanwhile: a busy source must not keep others
  /// from the queue.
  @inlinable func deliver() {
    lock.lock()
    if deliversBursts {
      swap(&arrived, &batch)
    } else if let first = arrived.popFirst() {
      batch.append(first)
    }
    let ending = batch.isEmpty ? self.ending : nil
    lock.unlock()
    if let ending { return down.end(ending) }
    while let element = batch.popFirst() { if !down.lifetime.isDisposed { down.next(element) } }
    settle()
  }

  /// After a delivery: ends, waits for more, or has what arrived meanwhile delivered in its turn.
  @inlinable func settle() {
    lock.lock()
    let ending = arrived.isEmpty && deliversBursts ? self.ending : nil
    let isDone = arrived.isEmpty && self.ending == nil
    if isDone { isScheduled = false }
    lock.unlock()
    if let ending { return down.end(ending) }
    // The main scheduler would run it at once, before the others that wait for the queue.
    if !isDone { schedule(by: main == nil ? nil : MainScheduler.asyncInstance) }
  }
}
