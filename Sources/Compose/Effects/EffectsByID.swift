/// The ``EffectsOfOneID`` of a composer, its children and its middleware.
final class EffectsByID: @unchecked Sendable {
  /// The composer's store.
  weak let store: StoreCore?
  // `lock` protects `entries`.
  private let lock = Lock()
  private var entries: [EffectKey: WeakEffects] = [:]

  private struct WeakEffects { weak var effects: EffectsOfOneID? }

  init(_ store: StoreCore) { self.store = store }

  /// The effects of `key`; created when there are none.
  func effects(for key: EffectKey) -> EffectsOfOneID {
    lock.withLock {
      // Two statements: with `entries[key]?.effects`, Swift 6.3 reads the weak reference of a
      // missing entry.
      if let entry = entries[key], let effects = entry.effects { return effects }
      let effects = EffectsOfOneID(key, self)
      entries[key] = WeakEffects(effects: effects)
      return effects
    }
  }

  /// Removes the entry of `key`, whose effects were released, unless it has new effects.
  func remove(_ key: EffectKey) {
    // Another thread may drop its last reference to new effects meanwhile. They are released after
    // unlocking, because their `deinit` calls this.
    var effects: EffectsOfOneID?
    defer { withExtendedLifetime(effects) {} }
    lock.withLock {
      guard let entry = entries[key] else { return }
      effects = entry.effects
      guard effects == nil else { return }
      if entries.count == 1 { entries = [:] } else { entries[key] = nil }
    }
  }
}
