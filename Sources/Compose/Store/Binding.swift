extension Store {
  /// What the composer makes of the actions that come from outside, or nil when it takes them as they
  /// are.
  ///
  /// The state is bound before, because the composer may read it. Elsewhere, what it asks for is the
  /// first that waits for the drain.
  @usableFromInline func entrance(_ composer: C) -> ((C.Action) -> Void)? {
    box?.bind(self, inPlace: C.reducesInPlace)
    if !isHome { stateWritten() }
    if isStubbed { return nil }
    let source = PublishSubject<C.Action>()
    let untransformed = source.asObservable()
    // Most composers have none, and need no context for it.
    let outer = EffectContext.enter(self)
    let actions = composer.transform(action: untransformed)
    EffectContext.leave(outer)
    if actions === untransformed { return nil }
    let sink = Sink<C.Action>(
      next: { [weak self] in self?.receive($0) },
      end: { error in
        guard let error else { return }
        ComposeHooks.report(.transformFailed(error, composer: "\(C.self)"))
      })
    ownLifetime.add(sink.lifetime)
    context.run { _ = actions.start(sink) }
    // In the drain, which takes one at a time and no thread for ever.
    return { action in self.receive(.other { _ in source.onNext(action) }) }
  }

  /// Begins to drain: the store is made as one that drains, so that nothing is reduced before.
  @usableFromInline func begin(_ composer: C) {
    if !isStubbed { middleware = composer.middleware.map { runner(of: $0) } }
    if isHome { refresh(composer.subscriptions(composer.state)) }
    // Elsewhere, all that waits has a turn of its own.
    drain(atMost: isHome ? 1_000 : .min)
  }

  // MARK: What is in no bag

  /// Holds what lives as long as the composer, whatever becomes of its bag: the effects that the state
  /// asks for, and the middleware.
  var ownLifetime: Lifetime {
    if let own = own.object { return own }
    let made = own.object { Lifetime() }
    if let composer { watch(composer) }
    return made
  }

  /// Has the end of the composer end what is its own.
  ///
  /// A composer's end shows by the end of its bag; when the bag has been replaced and the composer
  /// lives, the new one is watched: later, because the property is just being written.
  private func watch(_ composer: C) {
    let bag = composer.disposeBag
    bag.insert(
      ActionDisposable { [weak self, weak bag] in
        guard let self else { return }
        if self.composer == nil { return endOwn() }
        receive(.other { [weak self] in if $0.disposeBag !== bag { self?.watch($0) } }, later: true)
      })
  }

  // MARK: What the state asks for

  /// Starts what is wanted and does not live, ends what lives and is not wanted.
  func refresh(_ wanted: [LiveEffect<C.Action>]) {
    if isStubbed || wanted.elementsEqual(live, by: { $0.id == $1.id }) { return }
    let ids = Set(wanted.map(\.id))
    for effect in live where !ids.contains(effect.id) { effect.lifetime.dispose() }
    var running = Dictionary(live.map { ($0.id, $0.lifetime) }) { first, _ in first }
    for effect in wanted where running[effect.id] == nil {
      start(effect.effect(), .subscription("\(effect.id)"), context) { lifetime in
        running[effect.id] = lifetime
        ownLifetime.insert(lifetime)
      } onError: { [id = effect.id] in
        $1.effectFailed($0, of: id)
      }
    }
    // As they are wanted, by which the same are known the next time.
    live = wanted.compactMap { effect in running[effect.id].map { (effect.id, $0) } }
  }
}
