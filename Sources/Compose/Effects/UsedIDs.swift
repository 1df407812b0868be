#if DEBUG
/// The ids that the effects of a composer have had: finds a cancellation by an id that none has.
///
/// In debug builds only: a composer that makes a new id for each effect would fill the memory.
final class UsedIDs: Sendable {
  private let ids = Locked<Set<Key>>([])
  /// Beyond so many ids nothing is reported.
  private static let limit = 1_000

  // The address of an owner that was released may name another one: a report is then missed.
  private struct Key: Hashable, @unchecked Sendable {
    let owner: ObjectIdentifier
    // Sendable, as the parameter of each function with an id requires.
    let id: AnyHashable

    init(_ key: EffectKey) { (owner, id) = (ObjectIdentifier(key.owner), key.id) }
  }

  func insert(_ key: EffectKey) {
    let key = Key(key)
    ids.withLock { if $0.count < Self.limit { _ = $0.insert(key) } }
  }

  /// Returns, once for each key, whether the owner's effects have had other ids and not this one.
  ///
  /// A composer without any id may cancel an effect that it starts later: a stop before the start.
  func isSuspicious(_ key: EffectKey) -> Bool {
    let key = Key(key)
    return ids.withLock { ids in
      if ids.count == Self.limit || !ids.contains(where: { $0.owner == key.owner }) { return false }
      return ids.insert(key).inserted
    }
  }
}
#endif
