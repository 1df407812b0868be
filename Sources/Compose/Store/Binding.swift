extension Store {
  /// What the composer makes of the actions that come from outside, or nil when it takes them as they
  /// are.
  @usableFromInline func entrance(_ composer: C) -> ((C.Action) -> Void)? {
    if isStubbed { return nil }
    let source = PublishSubject<C.Action>()
    let untransformed = source.asObservable()
    let actions = context.run { composer.transform(action: untransformed) }
    if actions === untransformed { return nil }
    // Actions come from any thread, and operators take one at a time.
    let gate = Gate()
    let sink = Sink<C.Action>(
      next: { [weak self] in self?.receive($0) },
      end: { [weak self] error in
        guard let error else { return }
        self?.receive(
          .other { ComposeHooks.report(.transformFailed(error, composer: "\(type(of: $0))")) })
      })
    ownLifetime.add(sink.lifetime)
    context.run { _ = actions.start(sink) }
    return gate.guarded { source.onNext($0) }
  }

  /// Begins to drain: the store is made as one that drains, so that nothing is reduced before.
  @usableFromInline func begin(_ composer: C) {
    if !isStubbed { middleware = composer.middleware.map { runner(of: $0) } }
    box?.bind(self)
    refresh(composer)
    lock.lock()
    if isHome {
      lock.unlock()
      return drain(atMost: 1_000)
    }
    isDraining = false
    if mail.isEmpty { lock.unlock() } else { wakeUnlessWoken() }
  }

  // MARK: What is in no bag

  /// Holds what lives as long as the composer, whatever becomes of its bag.
  var ownLifetime: Lifetime { own { if let composer { watch(composer) } } }

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
        receiveLater(.other { [weak self] in if $0.disposeBag !== bag { self?.watch($0) } })
      })
  }

  // MARK: What the state asks for

  /// Starts and ends effects as the state asks for them now.
  func refresh(_ composer: C) {
    refresh(composer.subscriptions(box?.value ?? composer.state), composer)
  }

  /// Starts what is wanted and does not live, ends what lives and is not wanted.
  @usableFromInline func refresh(_ wanted: [LiveEffect<C.Action>], _ composer: C) {
    if wanted.isEmpty, live.isEmpty { return }
    if isStubbed { return }
    var kept: [AnyHashable: LiveRun] = [:]
    var new: [(effect: LiveEffect<C.Action>, running: Sink<Effect<C.Action>>)] = []
    for effect in wanted where kept[effect.id] == nil {
      let id = effect.id
      if let running = live.removeValue(forKey: id) {
        kept[id] = running
      } else {
        let running = runner(.subscription("\(id)"), context) { $1.effectFailed($0, of: id) }
        lives += 1
        kept[id] = LiveRun(number: lives, lifetime: running.lifetime)
        new.append((effect, running))
      }
    }
    // In the order in which they were started: the same every time, which a dictionary's is not.
    let ended = live.values.sorted { $0.number < $1.number }
    live = kept
    for run in ended { run.lifetime.dispose() }
    for (effect, running) in new {
      ownLifetime.insert(running.lifetime)
      context.run { _ = effect.effect().start(running) }
    }
  }
}

/// An effect that the state asks for, and which one it was that was started.
@usableFromInline struct LiveRun {
  let number: Int
  let lifetime: Lifetime
}
