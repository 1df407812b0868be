extension Store {
  /// Starts the effects of `wanted` that do not run, and ends the running ones that are not in
  /// `wanted`.
  func updateStateEffects(_ wanted: [StateEffect<C.Action>]) {
    if isStubbed || wanted.elementsEqual(runningStateEffects, by: { $0.id == $1.id }) { return }
    let ids = Set(wanted.map(\.id))
    for effect in runningStateEffects where !ids.contains(effect.id) { effect.lifetime.dispose() }
    var running = Dictionary(runningStateEffects.map { ($0.id, $0.lifetime) }) { first, _ in first }
    for effect in wanted where running[effect.id] == nil {
      start(
        effect.effect(), .stateEffect("\(effect.declaredID)"),
        .stateEffect(id: effect.declaredID), context
      ) { lifetime in
        running[effect.id] = lifetime
        composerLifetime.insert(lifetime)
      }
    }
    // In the order of `wanted`, so that an equal list is recognised by `elementsEqual` the next
    // time.
    runningStateEffects = wanted.compactMap { effect in running[effect.id].map { (effect.id, $0) } }
  }
}
