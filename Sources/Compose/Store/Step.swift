extension Store {
  /// One step of one action: tells who observes the actions, reduces, publishes, starts the effect.
  @inlinable func reduce(_ action: C.Action, _ source: ActionSource) {
    observers.next(action)
    guard let composer else { return endOwn() }
    if isFiltered { return reduceAll([action], source, composer) }
    var wanted: [LiveEffect<C.Action>] = []
    let effect = transact(composer) { state in
      let effect = reduce(action, composer, &state)
      wanted = composer.subscriptions(state)
      return effect
    }
    if isTraced { trace([action], source, composer) }
    if !(wanted.isEmpty && live.isEmpty) { refresh(wanted, composer) }
    follow(effect, action, composer)
  }

  /// One step of several actions.
  @inlinable func reduce(_ sent: [C.Action], _ source: ActionSource) {
    for action in sent { observers.next(action) }
    guard let composer else { return endOwn() }
    reduceAll(sent, source, composer)
  }

  /// One step of those of the actions that pass; the others are dropped.
  @inlinable func reduceAll(_ sent: [C.Action], _ source: ActionSource, _ composer: C) {
    if isStubbed { return }
    var passed = isFiltered ? [] : sent
    var effects: [(Observable<Effect<C.Action>>, C.Action)] = []
    var wanted: [LiveEffect<C.Action>] = []
    transact(composer) { state in
      for var action in sent {
        if isFiltered {
          guard let other = filter(action, state) else { continue }
          action = other
          passed.append(action)
        }
        let effect = reduce(action, composer, &state)
        if case .empty = effect.shape { continue }
        effects.append((effect, action))
      }
      wanted = composer.subscriptions(state)
    }
    if isTraced { trace(passed, source, composer) }
    if !(wanted.isEmpty && live.isEmpty) { refresh(wanted, composer) }
    if !middleware.isEmpty { tellMiddleware(passed, composer) }
    for (effect, action) in effects { follow(effect, action, composer) }
  }

  /// Gives `body` the state and publishes what it leaves.
  @inlinable @inline(__always) func transact<Result>(
    _ composer: C, _ body: (inout C.State) -> Result
  ) -> Result {
    steps &+= 1
    guard let box else {
      var state = composer.state
      let result = body(&state)
      composer.state = state
      return result
    }
    return C.reducesInPlace ? box.reduceInPlace(body) : box.reduce(body)
  }

  @inlinable @inline(__always) func reduce(
    _ action: C.Action, _ composer: C, _ state: inout C.State
  ) -> Observable<Effect<C.Action>> {
    let outer = EffectContext.enter(self)
    defer { EffectContext.leave(outer) }
    return composer.reducer(&state, action)
  }

  /// Does what the reducer has returned.
  @inlinable @inline(__always) func follow(
    _ effect: Observable<Effect<C.Action>>, _ action: C.Action, _ composer: C
  ) {
    switch effect.shape {
    case .empty: break
    case .just(let effect): receive(effect, .step(steps))
    default: start(effect, action, composer)
    }
  }

  /// Starts `effect`; while it runs, the composer's current bag holds it.
  @inlinable func start(_ effect: Observable<Effect<C.Action>>, _ action: C.Action, _ composer: C) {
    let running = runner(.step(steps), context) { error, composer in
      composer.effectFailed(error, from: action)
    }
    composer.disposeBag.insert(running.lifetime)
    context.run { _ = effect.start(running) }
  }

  /// What receives an effect's actions and its end.
  @inlinable func runner(
    _ origin: EffectOrigin, _ context: EffectContext, onError: @escaping (any Error, C) -> Void
  ) -> Sink<Effect<C.Action>> {
    context.attach(to: self)
    let number = nextEffect()
    let trace = isTraced ? tracer?.effect(number, origin, context.scheduler) : nil
    return Sink(
      next: { [weak self] in self?.receive($0, .effect(number)) },
      end: { [weak self] error in
        trace?(EffectEnd(error))
        if let error, !(error is CancellationError) { self?.receive(.other { onError(error, $0) }) }
      }, disposed: trace.map { trace in { trace(.cancelled) } })
  }

  @inlinable func receive(_ effect: Effect<C.Action>, _ source: ActionSource) {
    switch effect {
    case .send(let action): receive(.action(action, source))
    case .group(let actions): if !actions.isEmpty { receive(.group(actions, source)) }
    case .decision(let actions):
      receive(.other { [weak self] in self?.decide(actions, source, $0) })
    case .none: break
    }
  }

  /// One step of what is decided by the state as it is now; none when that is nothing.
  @usableFromInline func decide(
    _ actions: (any Sendable) -> [C.Action], _ source: ActionSource, _ composer: C
  ) {
    let state = box?.value ?? composer.state
    let decided = context.run { actions(state) }
    if !decided.isEmpty { reduce(decided, source) }
  }

  // MARK: Middleware and tests

  /// Whether actions may be dropped or changed before they are reduced.
  @inlinable var isFiltered: Bool { isStubbed || !middleware.isEmpty }

  /// What is reduced in place of `action`.
  @usableFromInline func filter(_ action: C.Action, _ state: C.State) -> C.Action? {
    var action = action
    for runner in middleware {
      guard let passed = runner.willReduce(action, state) else { return nil }
      action = passed
    }
    return action
  }

  @usableFromInline func tellMiddleware(_ actions: [C.Action], _ composer: C) {
    let state = box?.value ?? composer.state
    for action in actions { for runner in middleware { runner.didReduce(action, state, steps) } }
  }

  @usableFromInline func trace(_ actions: [C.Action], _ source: ActionSource, _ composer: C) {
    let step = Step(
      number: steps, source: source, actions: actions, state: box?.value ?? composer.state)
    tracer?.send(.step(step), context.scheduler)
  }
}
