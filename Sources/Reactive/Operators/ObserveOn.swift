import Dispatch

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
        let source = down.lifetime.detached(goingOnBy: scheduler)
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
  @usableFromInline let target: DeliveryTarget

  @usableFromInline init(_ down: Observer<Element>, _ scheduler: any ImmediateSchedulerType) {
    self.down = down
    target = DeliveryTarget(scheduler)
  }

  @inlinable func received(_ element: Element) {
    let runsAtOnce = target.runsAtOnce
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

  @inlinable func schedule() { target.schedule(in: down.lifetime) { self.deliver() } }

  /// Delivers what has arrived, and not what arrives meanwhile: a busy source must not keep others
  /// from the queue.
  @inlinable func deliver() {
    lock.lock()
    if target.deliversBursts {
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
    let ending = arrived.isEmpty && target.deliversBursts ? self.ending : nil
    let isDone = arrived.isEmpty && self.ending == nil
    if isDone { isScheduled = false }
    lock.unlock()
    if let ending { return down.end(ending) }
    if !isDone { target.scheduleNext(in: down.lifetime) { self.deliver() } }
  }
}

/// The scheduler that a mailbox delivers on.
@frozen @usableFromInline struct DeliveryTarget {
  @usableFromInline let scheduler: any ImmediateSchedulerType
  /// Queues deliver a burst in one hop; elsewhere, as in RxSwift, each event is scheduled by itself,
  /// which in virtual time shows.
  @usableFromInline let deliversBursts: Bool
  /// The scheduler, when it is one that may run work at once.
  @usableFromInline let main: MainScheduler?
  /// The scheduler's, when all that it runs goes there.
  @usableFromInline let queue: DispatchQueue?

  @usableFromInline init(_ scheduler: any ImmediateSchedulerType) {
    self.scheduler = scheduler
    main = scheduler as? MainScheduler
    deliversBursts =
      scheduler is SerialDispatchQueueScheduler || scheduler is ConcurrentDispatchQueueScheduler
    queue =
      deliversBursts && main == nil ? (scheduler as? DispatchQueueScheduler)?.queue : nil
  }

  /// Whether work that is scheduled now would run before the call returns.
  @inlinable var runsAtOnce: Bool { main?.runsAtOnce ?? false }

  /// Schedules a delivery of the subscription that has `lifetime`.
  @inlinable func schedule(in lifetime: Lifetime, _ deliver: @escaping () -> Void) {
    schedule(by: scheduler, in: lifetime, deliver)
  }

  /// Schedules the delivery that follows one.
  @inlinable func scheduleNext(in lifetime: Lifetime, _ deliver: @escaping () -> Void) {
    // The main scheduler would run it at once, before the others that wait for the queue.
    schedule(by: main == nil ? scheduler : MainScheduler.asyncInstance, in: lifetime, deliver)
  }

  @inlinable func schedule(
    by scheduler: any ImmediateSchedulerType, in lifetime: Lifetime,
    _ deliver: @escaping () -> Void
  ) {
    if let queue { return Hop(deliver).start(on: queue, within: lifetime) }
    let hop = Lifetime(parent: lifetime)
    hop.add(
      scheduler.schedule(()) {
        hop.dispose()
        deliver()
        return Disposables.create()
      })
  }
}

/// A delivery that waits for its turn on a dispatch queue.
@usableFromInline final class Hop: ScheduledWork, @unchecked Sendable {
  // Belongs to whoever takes the turn.
  @exclusivity(unchecked) private var deliver: (() -> Void)?

  @usableFromInline init(_ deliver: @escaping () -> Void) {
    self.deliver = deliver
    super.init()
  }

  /// Runs on `queue`, unless `lifetime` ends before.
  @usableFromInline func start(on queue: DispatchQueue, within lifetime: Lifetime) {
    lifetime.insert(self)
    queue.async { self.run() }
  }

  override func perform() -> Outcome {
    deliver?()
    return .done
  }

  override func forget() { deliver = nil }
}
