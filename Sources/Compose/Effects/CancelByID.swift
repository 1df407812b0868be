extension Observable where Element: EffectProtocol {
  /// Gives this effect an id, by which ``cancel(id:)`` ends it.
  ///
  /// ```swift
  /// case .queryChanged(let query):
  ///   return .run { [api] in ... }.cancellable(id: ID.search, whenBusy: .replace)
  /// ```
  ///
  /// Each composer has its own ids: two composers may use equal ids, and so may a composer and its
  /// children. A cancelled effect completes, so that a concatenated effect starts.
  ///
  /// Cancelling an id also cancels effects that were created before and have not started: they
  /// complete when they are started. An effect of a timer is created once and started with every
  /// tick. Cancelled before the first tick, it never runs. Cancelled after a tick, it starts again
  /// with the next one.
  ///
  /// An effect that has failed, and that a `retry` behind the id starts again, is still the same
  /// effect: when the id was cancelled, or replaced by another effect, after the failure, the next
  /// attempt completes without running.
  ///
  /// - Parameters:
  ///   - id: identity among the effects of the composer.
  ///   - policy: decides between this effect and running effects of the same id when this effect
  ///     starts; all run by default.
  public func cancellable(
    id: some Hashable & Sendable, whenBusy policy: EffectConflictPolicy = .together
  ) -> Observable {
    identified(by: id, kindNumber) { [run] ticket, start, down in
      ticket.run({ down, _ in run(down) }, as: start, whenBusy: policy, for: down)
    }
  }

  /// Gives this effect an id, by which ``cancel(id:)`` ends it.
  ///
  /// - Parameters:
  ///   - id: identity among the effects of the composer.
  ///   - cancelInFlight: true to cancel running effects of the same id when this effect starts.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool) -> Observable {
    cancellable(id: id, whenBusy: cancelInFlight ? .replace : .together)
  }

  /// Counts only the newest effect of this id: cancels the running one when this one starts.
  ///
  /// ```swift
  /// case .selected(let id):
  ///   state.selection = id
  ///   return .run { [api] effect in
  ///     effect.onNext(.send(.loaded(try await api.details(id))))
  ///   }
  ///   .latest(id: "details")
  /// ```
  ///
  /// It is `cancellable(id:whenBusy: .replace)` with one more promise: what an older effect has sent
  /// before it was cancelled, and the composer has not reduced yet, is dropped. No result of an
  /// older effect is reduced after this one has started, or after ``cancel(id:)``. That also holds
  /// for an older effect that waits for its next attempt, by a `retry` on either side of the id.
  ///
  /// ``cancelAll`` and a bag end the effect too, and drop nothing that it has sent before.
  ///
  /// - Parameter id: identity among the effects of the composer.
  public func latest(id: some Hashable & Sendable) -> Observable {
    latest(id: id, kindNumber)
  }

  func latest(id: some Hashable & Sendable, _ kindNumber: UInt8) -> Observable {
    identified(by: id, kindNumber) { [run] ticket, start, down in
      let effects = ticket.effects
      ticket.run(
        { down, replacements in
          let isLatest = { @Sendable in effects.isLatest(replacements) }
          run(down.with { down.next($0.sent(if: isLatest)) })
        }, as: start, whenBusy: .replace, for: down)
    }
  }

  /// Ends the effects of this id: those that run, and those that were created before this one and
  /// have not started.
  ///
  /// An effect of the same id that is created after this one starts:
  /// `.concatenate(.cancel(id: 1), work.cancellable(id: 1))` restarts the work.
  public static func cancel(id: some Hashable & Sendable) -> Observable {
    let ticket = EffectTicket(id)
    return Observable(.direct) { down in
      if let ticket = ticket ?? EffectTicket(id) {
        #if DEBUG
        ticket.effects.reportIfUnused()
        #endif
        ticket.cancel()
      }
      down.end(nil)
    }
  }

  /// Ends all effects of the composer whose reducer creates this effect.
  ///
  /// In a child's reducer it ends the child's effects only.
  ///
  /// Equivalent to `.cancel(&disposeBag)`: effects that the same reducer call returns run in the
  /// new bag. What the ended effects have sent before is reduced, also what a ``latest(id:)`` has
  /// sent.
  public static var cancelAll: Observable {
    if EffectContext.isReducing, let disposeOldBag = EffectContext.ambient?.replaceBag() {
      return .cancelling(disposeOldBag)
    }
    return Observable(.direct) { down in
      if let context = EffectContext.ambient { context.perform { context.replaceBag()?() } }
      down.end(nil)
    }
  }

  /// Calls `body` when this effect starts, unless the id keeps it from running: it completes then.
  ///
  /// An effect without a composer has no id, and simply runs.
  func identified(
    by id: some Hashable & Sendable, _ kindNumber: UInt8,
    _ body: @escaping (EffectTicket, EffectTicket.Start, Observer<Element>) -> Void
  ) -> Observable {
    let ticket = EffectTicket(forEffectWith: id)
    return LabeledObservable(AnyHashable(id), kindNumber) { [run] down in
      guard let ticket = ticket ?? EffectTicket(forEffectWith: id) else { return run(down) }
      if let start = ticket.start() { body(ticket, start, down) } else { down.end(nil) }
    }
  }
}
