extension Store {
  /// Binds the state and calls `transform(action:)`.
  ///
  /// Returns the input of the transformed actions, or nil when the composer does not transform
  /// them.
  ///
  /// The state is bound first, because `transform(action:)` may read it. Off the executor, the
  /// state effects of the first state are enqueued before any action.
  @usableFromInline func bindStateAndTransform(_ composer: C) -> ((C.Action) -> Void)? {
    box?.bind(self, inPlace: C.reducesInPlace)
    if !isOnExecutor { stateWritten() }
    if isStubbed { return nil }
    let source = PublishSubject<C.Action>()
    let untransformed = source.asObservable()
    // `beginReducing(in:)` creates no context: most composers have no transform and need none.
    let outer = EffectContext.beginReducing(in: self)
    let actions = composer.transform(action: untransformed)
    EffectContext.endReducing(restoring: outer)
    if actions === untransformed { return nil }
    let sink = Sink<C.Action>(
      next: { [weak self] in self?.receive($0) },
      end: { [weak self] error in
        guard let error, let self else { return }
        report(.transformFailed(error, composer: name))
      })
    composerLifetime.add(sink.lifetime)
    context.run { _ = actions.start(sink) }
    transformInput = source
    // Sent from the drain: the transform receives one action at a time, and the limit of the drain
    // counts these actions too.
    return { action in self.receive(.untransformed(action)) }
  }

  /// Starts the first drain.
  ///
  /// The store is created with `isDraining` set, so that no action is reduced before this call.
  @usableFromInline func startDraining(_ composer: C) {
    if !isStubbed { middleware = composer.middleware.map { runner(of: $0) } }
    if isOnExecutor { updateStateEffects(composer) }
    // Off the executor, the limit of `.min` moves all items to a turn of the executor.
    drain(atMost: isOnExecutor ? 1_000 : .min)
  }

  // MARK: The composer's lifetime

  /// Holds what ends with the composer and not with its bag: state effects, middleware and the
  /// transform.
  var composerLifetime: Lifetime {
    if let lifetime = lazyComposerLifetime.object { return lifetime }
    let created = lazyComposerLifetime.object { Lifetime() }
    if let composer { endLifetimeOnRelease(of: composer) }
    return created
  }

  /// Disposes of `composerLifetime` when `composer` is released.
  ///
  /// A released composer releases its bag, which disposes of the action that is inserted here. When
  /// the composer is alive, its bag was replaced, and the action is inserted into the new bag. That
  /// happens in a later turn, because the property is being written now.
  private func endLifetimeOnRelease(of composer: C) {
    let bag = composer.disposeBag
    bag.insert(
      ActionDisposable { [weak self, weak bag] in
        guard let self else { return }
        if self.composer == nil { return endComposerLifetime() }
        receive(
          .work { [weak self] composer in
            if composer.disposeBag !== bag { self?.endLifetimeOnRelease(of: composer) }
          }, later: true)
      })
  }
}
