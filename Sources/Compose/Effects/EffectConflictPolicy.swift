/// Decides between an effect that starts and running effects of the same id.
public enum EffectConflictPolicy: Sendable {
  /// All of them run.
  case together
  /// The running effects are cancelled, and the new one starts.
  case replace
  /// The running effects continue, and the new one completes without running.
  case ignore
}

extension EffectsOfOneID {
  /// Adds a starting effect according to `policy`.
  ///
  /// Disposes of the running effects, or of `effect`, when the policy requires it.
  ///
  /// - Parameter start: start of the effect, which another thread may have cancelled meanwhile
  /// - Returns: the number of replacements and cancellations until now.
  @discardableResult
  func insert(
    _ effect: Lifetime, _ policy: EffectConflictPolicy, as start: EffectTicket.Start = .again
  ) -> Int {
    let (ended, replacements): (Lifetime?, Int) = lock.withLock {
      if !allows(start) { return (effect, replacementCount) }
      if policy == .ignore, running.holdsOpenResource { return (effect, replacementCount) }
      let replaced = policy == .replace ? removeRunning() : nil
      running.insert(effect)
      return (replaced, replacementCount)
    }
    ended?.dispose()
    return replacements
  }
}
