import Synchronization

extension Observable where Element: EffectProtocol {
  /// Gives this effect an id by which ``cancel(id:)`` ends it.
  ///
  /// ```swift
  /// case .queryChanged(let query):
  ///   return .run { [api] in ... }.cancellable(id: ID.search, whenBusy: .replace)
  /// ```
  ///
  /// Ids are the composer's own: two composers may use the same, and so may a composer and its
  /// children. Cancelled, the effect completes, so that what was concatenated to it goes on. An effect
  /// that was made before the cancellation and has not started by then, because it waits its turn,
  /// completes whenever it is started: on no tick of a timer it runs. One that has started once, starts
  /// again on the next tick.
  ///
  /// - Parameters:
  ///   - id: what to cancel it by.
  ///   - conflict: what becomes of it, and of those of the same id that run, when it starts.
  public func cancellable(
    id: some Hashable & Sendable, whenBusy conflict: EffectConflict = .together
  ) -> Observable {
    identified(by: id) { [run] slot, down in
      down.run(run, endedBy: { slot.admit($0, conflict) }, keeping: slot)
    }
  }

  /// Gives this effect an id by which ``cancel(id:)`` ends it.
  ///
  /// - Parameters:
  ///   - id: what to cancel it by.
  ///   - cancelInFlight: whether it takes the place of those of the same id that run.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool) -> Observable {
    cancellable(id: id, whenBusy: cancelInFlight ? .replace : .together)
  }

  /// Ends the effects of this id: those that run, and those that were made before it and wait their
  /// turn.
  ///
  /// One that is returned with it and made after it starts:
  /// `.concatenate(.cancel(id: 1), work.cancellable(id: 1))` starts the work anew.
  public static func cancel(id: some Hashable & Sendable) -> Observable {
    let ticket = EffectTicket(id)
    return Observable(.direct) { down in
      (ticket ?? EffectTicket(id))?.cancel()
      down.end(nil)
    }
  }

  /// Ends all effects of the composer whose reducer makes this; a child's ends those of the child.
  ///
  /// Like `.cancel(&disposeBag)`: what the same reducer returns with it runs in the new bag.
  public static var cancelAll: Observable {
    if EffectContext.isReducing, let end = EffectContext.here?.renewBag() {
      return .cancelling(end)
    }
    return Observable(.direct) { down in
      if let context = EffectContext.here { context.perform { context.renewBag()?() } }
      down.end(nil)
    }
  }

  /// Starts this effect when no other one of its id was made for `interval`, and cancels the one that
  /// waits or runs.
  ///
  /// Inside, the same id with `.replace` or `.ignore` would end this effect before it runs: give that
  /// another id.
  ///
  /// - Parameters:
  ///   - id: whose turn it is; also ``cancel(id:)`` ends it.
  ///   - interval: how long nothing may come, by the composer's clock.
  ///   - scheduler: the clock; the composer's by default.
  public func debounce(
    id: some Hashable & Sendable, for interval: RxTimeInterval,
    scheduler: (any SchedulerType)? = nil
  ) -> Observable {
    let clock = scheduler ?? EffectContext.clock
    return delaySubscription(interval, scheduler: clock).cancellable(id: id, whenBusy: .replace)
  }

  /// Starts at most one effect of this id in each `interval`: the first at once.
  ///
  /// Inside, a debounce or `.replace` or `.ignore` of the same id would end this effect before it runs:
  /// give that another id.
  ///
  /// - Parameters:
  ///   - id: whose turn it is; also ``cancel(id:)`` ends it, and the interval with it.
  ///   - interval: how long others are held off, by the composer's clock.
  ///   - latest: whether the last one that comes meanwhile runs at the interval's end, and begins the
  ///     next one; by default, as in `throttle` of observables.
  ///   - scheduler: the clock; the composer's by default.
  public func throttle(
    id: some Hashable & Sendable, for interval: RxTimeInterval, latest: Bool = true,
    scheduler: (any SchedulerType)? = nil
  ) -> Observable {
    let (effect, clock) = (cancellable(id: id), scheduler ?? EffectContext.clock)
    return identified(by: id) { slot, down in
      let throttle = { @Sendable in slot.throttle(interval, latest: latest, isDue: $0, clock) }
      guard let left = throttle(false) else { return down.end(nil) }
      if left.nanoseconds == 0 { return effect.run(down) }
      let due = effect.do(onSubscribe: { _ = throttle(true) })
      down.run(due.delaySubscription(left, scheduler: clock).run, endedBy: slot.wait)
    }
  }

  /// An effect that starts among those of its id, and not when it was cancelled before; one that
  /// belongs to no composer just runs.
  private func identified(
    by id: some Hashable & Sendable, _ start: @escaping (EffectSlot, Observer<Element>) -> Void
  ) -> Observable {
    let ticket = EffectTicket(id)
    return Observable { [run] down in
      guard let ticket = ticket ?? EffectTicket(id) else { return run(down) }
      if ticket.isValid { start(ticket.slot, down) } else { down.end(nil) }
    }
  }
}

/// The place of an effect, or of a cancellation, among those of its id, in the order in which they were
/// made.
private final class EffectTicket: Sendable {
  let slot: EffectSlot
  private let number: Int
  private let isUsed = Atomic(false)

  /// Nil when no composer is here whose id that could be.
  init?(_ id: some Hashable & Sendable) {
    guard let slot = EffectContext.here?.slot(for: id) else { return nil }
    (self.slot, number) = (slot, slot.nextNumber())
  }

  /// Whether the effect may start; asked once for each start.
  ///
  /// What has started once, starts again however often it was cancelled: each tick of a timer is an
  /// effect of its own.
  var isValid: Bool {
    if slot.isValid(number) { isUsed.store(true, ordering: .relaxed) }
    return isUsed.load(ordering: .relaxed)
  }

  /// Cancels what was made before; the next time, what was made before that time.
  func cancel() {
    let isAgain = isUsed.exchange(true, ordering: .relaxed)
    slot.cancel(before: isAgain ? slot.nextNumber() : number)
  }
}
