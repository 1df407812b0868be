import Synchronization

/// The position of an effect, or of a cancellation, among those of its id, in the order of
/// creation.
final class EffectTicket: Sendable {
  let effects: EffectsOfOneID
  private let number: Int
  private let isUsed = Atomic(false)
  /// The number of replacements of the id when the effect was started last.
  private let lastReplacements = Atomic(0)
  /// Whether a run of the effect has failed since the effect was started last.
  private let hasFailed = Atomic(false)

  /// Returns nil when no composer's reducer or effect is running here: the id then has no owner.
  init?(_ id: some Hashable & Sendable) {
    guard let effects = EffectContext.ambient?.identifiedEffects(for: id) else { return nil }
    self.effects = effects
    number = effects.nextNumber()
  }

  /// The ticket of an effect, not of a cancellation.
  convenience init?(forEffectWith id: some Hashable & Sendable) {
    self.init(id)
    #if DEBUG
    effects.noteUse()
    #endif
  }

  /// A start of an effect; it decides what keeps the effect from running.
  enum Start: Equatable {
    /// The first start of the effect with this number: a cancellation that was created later.
    case first(number: Int)
    /// A start after a failure, by a `retry`: a cancellation of the id, or its replacement, since the
    /// start of the failed run, at which the id had this number of replacements.
    case afterFailure(replacements: Int)
    /// Any other repeated start, such as each tick of a timer: nothing.
    case again
  }

  /// Notes that the effect starts; returns nil when the effect must not run.
  ///
  /// An effect that was not allowed to start again after a failure may start the next time.
  func start() -> Start? {
    let start: Start =
      if !isUsed.load(ordering: .relaxed) {
        .first(number: number)
      } else if hasFailed.exchange(false, ordering: .relaxed) {
        .afterFailure(replacements: lastReplacements.load(ordering: .relaxed))
      } else {
        .again
      }
    guard effects.isAllowed(start) else { return nil }
    isUsed.store(true, ordering: .relaxed)
    return start
  }

  /// Runs `source` for `down` until it ends, or until an effect or a cancellation of the id ends it.
  ///
  /// - Parameter source: receives the number of replacements of the id at this start.
  func run<Element>(
    _ source: (Observer<Element>, _ replacements: Int) -> Void, as start: Start,
    whenBusy policy: EffectConflictPolicy, for down: Observer<Element>
  ) {
    // Called only for the end that the run delivers itself: a cancelled run completes.
    let end = { (error: (any Error)?) in
      if let error, !(error is CancellationError) {
        self.hasFailed.store(true, ordering: .relaxed)
      }
      down.end(error)
    }
    var replacements = 0
    Observer(down.lifetime, next: down.next, end: end).run(
      { source($0, replacements) },
      endedBy: {
        replacements = effects.insert($0, policy, as: start)
        lastReplacements.store(replacements, ordering: .relaxed)
      },
      keeping: effects)
  }

  /// Cancels the effects that were created before this ticket.
  ///
  /// A repeated call cancels the effects that were created before that call.
  func cancel() {
    let isRepeated = isUsed.exchange(true, ordering: .relaxed)
    effects.cancel(invalidatingBefore: isRepeated ? effects.nextNumber() : number)
  }
}
