extension Store {
  /// Starts the effects of `wanted` that do not run, and ends the running ones that are not in
  /// `wanted`.
  ///
  /// A group that was declared before is not looked into: its effects are the same.
  func updateStateEffects(_ wanted: [StateEffect<C.Action>]) {
    if isStubbed || wanted.elementsEqual(declaredStateEffects, by: { $0.id == $1.id }) { return }
    let before = Dictionary(declaredStateEffects.map { ($0.id, $0) }) { first, _ in first }
    let added = wanted.filter { before[$0.id] == nil }.map { ($0.id, $0.effects) }
    let declared = Dictionary(
      added.map { ($0, DeclaredStateEffect(id: $0, effectIDs: $1.map(\.id))) }
    ) { first, _ in first }
    let removed = declaredStateEffects
    // In the order of `wanted`, so that an equal list is recognised by `elementsEqual` the next
    // time.
    declaredStateEffects = wanted.compactMap { before[$0.id] ?? declared[$0.id] }
    let wantedIDs = Set(wanted.map(\.id))
    let addedIDs = Set(added.flatMap { $1.map(\.id) })
    for entry in removed where !wantedIDs.contains(entry.id) {
      for id in entry.effectIDs where !addedIDs.contains(id) {
        runningStateEffects.removeValue(forKey: id)?.dispose()
      }
    }
    for effect in added.flatMap({ $1 }) where runningStateEffects[effect.id] == nil {
      start(
        effect.makeEffect(), .stateEffect("\(effect.declaredID)"),
        .stateEffect(id: effect.declaredID), context
      ) { lifetime in
        runningStateEffects[effect.id] = lifetime
        composerLifetime.insert(lifetime)
      }
    }
  }
}

/// An entry of the list that ``Composer/stateEffects(_:)`` has returned.
@usableFromInline struct DeclaredStateEffect {
  @usableFromInline let id: AnyHashable
  /// The ids of a group's effects, or `id` alone.
  let effectIDs: [AnyHashable]
}
