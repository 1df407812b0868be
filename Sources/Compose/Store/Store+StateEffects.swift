extension Store {
  /// Starts the state effects that the composer and its children have for the current state and that
  /// do not run, and ends the others.
  @usableFromInline func updateStateEffects(_ composer: C) {
    let isWritten = box?.isWritten.exchange(false, ordering: .relaxed) == true
    let state = composer.state
    if isWritten { noteWritten(state) }
    var wanted: [StateEffect<C.Action>] = []
    hasStateEffects = !DefaultStateEffects.areReturned(by: composer) {
      wanted = stateEffects(of: composer, state)
    }
    isPlain = !hasStateEffects && children == nil && !reducesTwice
    updateStateEffects(wanted, state)
  }

  /// Traces a state that was written from outside as a step, and calls the middleware.
  private func noteWritten(_ state: C.State) {
    stepCount &+= 1
    let step = ComposerStep<C.State, C.Action>(
      number: stepCount, source: .outside, actions: [], change: "state", state: state)
    if let tool {
      let step = TypedStep<C.State, C.Action>.make(
        number: stepCount, source: .outside, actions: .several([]), change: "state", state: state)
      tool.stepped(step)
    }
    tracer?.send(.step(step), context.scheduler)
    for each in middleware { each.didReduce(.change("state"), state, stepCount) }
  }

  /// The same after a write of the state from outside whose turn has not come.
  ///
  /// Called before a decision about a child: the written state may have ended it.
  func updateIfWritten(_ composer: C) {
    if let box, box.isWritten.load(ordering: .relaxed) { updateStateEffects(composer) }
  }

  /// Starts the effects of `wanted` that do not run and ends the others, and does so for the
  /// children.
  ///
  /// Called after the state is published: the children that end may read it.
  @inlinable func updateStateEffects(
    _ wanted: [StateEffect<C.Action>], _ state: C.State
  ) {
    if isStubbed { return }
    if !wanted.isEmpty || stateEffects != nil {
      let stateEffects = stateEffects ?? RunningStateEffects()
      self.stateEffects = stateEffects
      stateEffects.update(wanted) { startStateEffect($0) }
    }
    if children != nil { updateChildren(state) }
  }

  /// Ends the children whose states are gone in `state`, and updates the others.
  @inlinable package func updateChildren(_ state: C.State) {
    guard let children else { return }
    // The children that are created now belong to this composer.
    let outer = EffectContext.beginReducing(in: self)
    for child in children {
      guard let child = child.declaration else { continue }
      child.updateChildren(child, state) { startStateEffect($0) }
    }
    EffectContext.endReducing(restoring: outer)
    lazySharedInbox.object?.deliver()
  }

  /// Writes the shared parts of the state after its reduction.
  @usableFromInline func commitSharedParts(of state: inout C.State) {
    guard let sharedParts else { return }
    for part in sharedParts { part.commit(&state, in: self) }
  }

  /// Sets the shared parts of children that are new in `state` to their shared values, before it is
  /// published; returns whether there were any.
  @discardableResult @usableFromInline func adoptSharedValues(_ state: inout C.State) -> Bool {
    let outer = EffectContext.beginReducing(in: self)
    defer { EffectContext.endReducing(restoring: outer) }
    var hasAdopted = false
    mayAdopt = false
    for child in children ?? [] {
      guard let child = child.declaration else { continue }
      if child.adoptInNewChildren(&state, nil) { hasAdopted = true }
      if child.mayShare { mayAdopt = true }
    }
    return hasAdopted
  }

  /// The same for the first state.
  @usableFromInline package func adoptSharedValues(of composer: C) {
    guard mayAdopt, children != nil else { return }
    var state = box?.value ?? composer.state
    if adoptSharedValues(&state) { composer.state = state }
  }

  @usableFromInline func startStateEffect(_ effect: StateEffect<C.Action>) -> Lifetime {
    // The source of a failure must not keep the effect, which keeps its child.
    let id = effect.id
    if isStubbed { return Lifetime() }
    if !effect.isTraced { return startUntraced(effect) }
    // Only for tools: an effect that does not start would be made for nothing.
    let made = tool == nil ? nil : context.run(effect.make)
    return start(
      made ?? effect.make(), .stateEffect("\(id)".withoutAddresses), kind: made?.effectKind,
      .stateEffect(id: id), context
    ) {
      composerLifetime.insert($0)
    }
  }

  /// Starts the changes of a shared value, which have no number and do not fail.
  ///
  /// They are sent where the composer reduces, between two steps, and performed at once.
  private func startUntraced(_ effect: StateEffect<C.Action>) -> Lifetime {
    let sink = Sink<Effect<C.Action>>(
      next: { [weak self] effect in
        if let self, let composer { perform(effect, .outside, composer) }
      }, end: { _ in })
    composerLifetime.insert(sink.lifetime)
    effect.make().start(sink)
    return sink.lifetime
  }
}
