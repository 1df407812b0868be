extension Store {
  /// One step of one action: tells who observes the actions, reduces, publishes, starts the effect.
  @inlinable func reduce(_ sent: C.Action, _ source: ActionSource) {
    observers.next(sent)
    guard let composer else { return endOwn() }
    guard let action = isFiltered ? filter(sent, composer) : sent else { return }
    let effect = step([action], source, composer) { reduce(action, composer, &$0) }
    follow(effect, action, composer)
  }

  /// One step of several actions; none when all of them are dropped.
  @inlinable func reduce(_ sent: [C.Action], _ source: ActionSource) {
    for action in sent { observers.next(action) }
    guard let composer else { return endOwn() }
    let actions = isFiltered ? sent.compactMap { filter($0, composer) } : sent
    if actions.isEmpty { return }
    var effects: [(Observable<Effect<C.Action>>, C.Action)] = []
    step(actions, source, composer) { state in
      for action in actions {
        let effect = reduce(action, composer, &state)
        if case .empty = effect.shape { continue }
        effects.append((effect, action))
      }
    }
    for (effect, action) in effects { follow(effect, action, composer) }
  }

  /// Gives `body` the state, publishes what it leaves, and starts and ends what that asks for.
  @inlinable @inline(__always) func step<Result>(
    _ actions: @autoclosure () -> [C.Action], _ source: ActionSource, _ composer: C,
    _ body: (inout C.State) -> Result
  ) -> Result {
    steps &+= 1
    // Into no other variable: a second owner would have a reducer in place copy.
    var state = box?.begin(inPlace: C.reducesInPlace) ?? composer.state
    let result = body(&state)
    if let box { box.end(state, inPlace: C.reducesInPlace) } else { composer.state = state }
    // Asked when the state is published: children may end by it, and what they end may read.
    let wanted = composer.subscriptions(state)
    if isTraced || isFiltered || !wanted.isEmpty || !live.isEmpty {
      endStep(actions(), source, state, wanted)
    }
    return result
  }

  /// The rest of a step that somebody looks on, or whose state asks for effects.
  @usableFromInline func endStep(
    _ actions: [C.Action], _ source: ActionSource, _ state: C.State,
    _ wanted: [LiveEffect<C.Action>]
  ) {
    if isTraced {
      let step = Step(number: steps, source: source, actions: actions, state: state)
      tracer?.send(.step(step), context.scheduler)
    }
    refresh(wanted)
    for action in actions { for each in middleware { each.didReduce(action, state, steps) } }
  }

  @inlinable @inline(__always) func reduce(
    _ action: C.Action, _ composer: C, _ state: inout C.State
  ) -> Observable<Effect<C.Action>> {
    let outer = EffectContext.enter(self)
    defer { EffectContext.leave(outer) }
    return composer.reducer(&state, action)
  }

  /// Does what the reducer has returned; while it runs, the composer's current bag holds it.
  @inlinable @inline(__always) func follow(
    _ effect: Observable<Effect<C.Action>>, _ action: C.Action, _ composer: C
  ) {
    switch effect.shape {
    case .empty: break
    case .just(let effect): receive(effect, .step(steps))
    default:
      start(effect, .step(steps), context, heldBy: { composer.disposeBag.insert($0) }) {
        $1.effectFailed($0, from: action)
      }
    }
  }

  /// Starts `effect` in `context`, until `hold` lets go of it.
  ///
  /// Somebody else may hold what holds it: when it finds the composer gone, it ends itself.
  @inlinable func start(
    _ effect: @autoclosure () -> Observable<Effect<C.Action>>, _ origin: EffectOrigin,
    _ context: EffectContext, heldBy hold: (Lifetime) -> Void,
    onError: @escaping (any Error, C) -> Void
  ) {
    context.attach(to: self)
    let number = nextEffect()
    let trace = isTraced ? tracer?.effect(number, origin, context.scheduler) : nil
    let running = if let trace { ActionDisposable { trace(.cancelled) } } else { Lifetime() }
    hold(running)
    let observer = Observer<Effect<C.Action>>(
      running,
      next: { [weak self] effect in
        if running.isClosed { return }
        guard let self, composer != nil else { return running.dispose() }
        receive(effect, .effect(number))
      },
      end: { [weak self] error in
        guard running.finish() else { return }
        trace?(EffectEnd(error))
        if let error, !(error is CancellationError) { self?.receive(.other { onError(error, $0) }) }
      })
    context.run { effect().start(observer) }
  }

  @inlinable func receive(_ effect: Effect<C.Action>, _ source: ActionSource) {
    switch effect {
    case .send(let action): receive(.action(action, source))
    case .group(let actions): receive(.group(actions, source))
    case .decision(let actions):
      receive(.other { [weak self] in self?.decide(actions, source, $0) })
    case .none: break
    }
  }

  /// One step of what is decided by the state as it is now.
  @usableFromInline func decide(
    _ actions: (any Sendable) -> [C.Action], _ source: ActionSource, _ composer: C
  ) {
    let state = state(of: composer)
    reduce(context.run { actions(state) }, source)
  }

  // MARK: Middleware and tests

  /// Whether actions may be dropped or changed before they are reduced.
  @inlinable var isFiltered: Bool { isStubbed || !middleware.isEmpty }

  /// What is reduced in place of `action`.
  @usableFromInline func filter(_ action: C.Action, _ composer: C) -> C.Action? {
    if isStubbed { return nil }
    let state = state(of: composer)
    return middleware.reduce(action) { action, each in
      action.flatMap { each.willReduce($0, state) }
    }
  }

  /// The state between two steps.
  func state(of composer: C) -> C.State { box?.value ?? composer.state }
}
