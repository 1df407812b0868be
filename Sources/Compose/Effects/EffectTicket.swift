import Synchronization

/// The position of an effect, or of a cancellation, among those of its id, in the order of
/// creation.
final class EffectTicket: Sendable {
  let effects: EffectsOfOneID
  private let number: Int
  private let isUsed = Atomic(false)

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

  /// An effect that starts.
  struct Start {
    let effects: EffectsOfOneID
    /// The number of an effect that starts for the first time.
    ///
    /// An effect that has started once may start again after any cancellation: each tick of a timer
    /// starts the same effect.
    let number: Int?
  }

  /// Notes that the effect starts; returns nil when it was cancelled before its first start.
  func start() -> Start? {
    if isUsed.load(ordering: .relaxed) { return Start(effects: effects, number: nil) }
    guard effects.isValid(number) else { return nil }
    isUsed.store(true, ordering: .relaxed)
    return Start(effects: effects, number: number)
  }

  /// Cancels the effects that were created before this ticket.
  ///
  /// A repeated call cancels the effects that were created before that call.
  func cancel() {
    let isRepeated = isUsed.exchange(true, ordering: .relaxed)
    effects.cancel(invalidatingBefore: isRepeated ? effects.nextNumber() : number)
  }
}
