/// The ``EffectsOfOneID`` of a composer, its children and its middleware.
final class EffectsByID: @unchecked Sendable {
  /// The composer's store; written by the initializer only.
  private(set) weak var store: StoreCore?
  // `lock` protects `entries`.
  private let lock = Lock()
  private var entries: [EffectKey: WeakEffects] = [:]

  private struct WeakEffects { weak var effects: EffectsOfOneID? }

  #if DEBUG
  // Has a lock of its own.
  let usedIDs = UsedIDs()
  #endif

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
    // Released after unlocking: the `deinit` of effects calls this, and the id is the program's.
    var effects: EffectsOfOneID?
    var removedKey: EffectKey?
    defer { withExtendedLifetime((effects, removedKey)) {} }
    lock.withLock {
      guard let index = entries.index(forKey: key) else { return }
      effects = entries[index].value.effects
      guard effects == nil else { return }
      removedKey = entries.remove(at: index).key
      if entries.isEmpty { entries = [:] }
    }
  }
}
