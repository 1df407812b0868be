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

  /// Whether the effect may start; read once for each start.
  ///
  /// An effect that has started once may start again after any cancellation: each tick of a timer
  /// starts the same effect.
  var isValid: Bool {
    if effects.isValid(number) { isUsed.store(true, ordering: .relaxed) }
    return isUsed.load(ordering: .relaxed)
  }

  /// Cancels the effects that were created before this ticket.
  ///
  /// A repeated call cancels the effects that were created before that call.
  func cancel() {
    let isRepeated = isUsed.exchange(true, ordering: .relaxed)
    effects.cancel(invalidatingBefore: isRepeated ? effects.nextNumber() : number)
  }
}
