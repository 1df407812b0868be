import Dispatch

extension ObservableType {
  /// Delivers all events on `scheduler`, in order.
  ///
  /// Elements that arrive during a delivery are queued, without a limit, and a dispatch queue
  /// delivers them in one turn. After disposal nothing more is delivered, including queued
  /// elements. On `MainScheduler.instance`, an element that arrives on the main queue is delivered
  /// at once.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    Observable { [run] down in
      let mailbox = Mailbox(down, scheduler)
      down.lifetime.run(run, next: { mailbox.received($0) }, end: { mailbox.ended($0) })
    }
  }
}

/// The events on their way to a scheduler.
///
/// The whole class is inlinable: without the type of the elements a delivery would look it up for
/// each element.
@usableFromInline final class Mailbox<Element>: @unchecked Sendable {
  // `lock` protects `arrived`, `ending` and `isScheduled`. `batch` is used by the delivery only,
  // and there is one delivery at a time.
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

  /// Delivers the elements that have arrived, but not those that arrive meanwhile.
  ///
  /// A busy source must not keep other work from the queue.
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

  /// Ends after a delivery, becomes idle, or schedules the next delivery.
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

/// The scheduler on which a mailbox delivers.
@frozen @usableFromInline struct DeliveryTarget {
  @usableFromInline let scheduler: any ImmediateSchedulerType
  /// Whether one piece of work delivers all queued elements, as on dispatch queues.
  ///
  /// On other schedulers each event is scheduled separately, as in RxSwift. The difference is
  /// visible in virtual time.
  @usableFromInline let deliversBursts: Bool
  /// The scheduler, if it may run work at once.
  @usableFromInline let main: MainScheduler?
  /// The scheduler of a delivery that follows another one.
  ///
  /// The schedulers of the main queue would run it at once: before other work in the queue, and
  /// within the previous delivery.
  @usableFromInline let following: any ImmediateSchedulerType
  /// The scheduler's queue, if the scheduler runs all work on it later.
  @usableFromInline let queue: DispatchQueue?

  @usableFromInline init(_ scheduler: any ImmediateSchedulerType) {
    let host = HostSystem.current
    self.scheduler = host?.guarding(scheduler) ?? scheduler
    main = scheduler as? MainScheduler
    let following =
      main != nil || scheduler is ConcurrentMainScheduler ? MainScheduler.asyncInstance : scheduler
    self.following = host?.guarding(following) ?? following
    deliversBursts =
      scheduler is SerialDispatchQueueScheduler || scheduler is ConcurrentDispatchQueueScheduler
    // A host knows which queues are concurrent by their schedulers.
    queue =
      deliversBursts && main == nil && host == nil
      ? (scheduler as? DispatchQueueScheduler)?.queue : nil
  }

  /// Whether work that is scheduled now runs before the call returns.
  @inlinable var runsAtOnce: Bool { main?.runsAtOnce ?? false }

  /// Schedules a delivery for the subscription of `lifetime`.
  @inlinable func schedule(in lifetime: Lifetime, _ deliver: @escaping () -> Void) {
    schedule(by: scheduler, in: lifetime, deliver)
  }

  /// Schedules the delivery that follows another one.
  @inlinable func scheduleNext(in lifetime: Lifetime, _ deliver: @escaping () -> Void) {
    schedule(by: following, in: lifetime, deliver)
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

/// A delivery that is queued on a dispatch queue.
@usableFromInline final class Hop: ScheduledWork, @unchecked Sendable {
  // Only the thread that takes the turn may touch it.
  @exclusivity(unchecked) private var deliver: (() -> Void)?

  @usableFromInline init(_ deliver: @escaping () -> Void) {
    self.deliver = deliver
    super.init()
  }

  /// Queues the delivery on `queue`; it does not run once `lifetime` has ended.
  @usableFromInline func start(on queue: DispatchQueue, within lifetime: Lifetime) {
    lifetime.insert(self)
    if let host = HostSystem.current {
      host.enqueue(on: queue) { self.run() }
    } else {
      queue.async { self.run() }
    }
  }

  override func perform() -> WorkResult {
    deliver?()
    return .done
  }

  override func forget() { deliver = nil }
}
