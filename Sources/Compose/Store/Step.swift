import Synchronization

extension Store {
  /// One step of one action: tells who observes the actions, reduces, publishes, starts the effect.
  @inlinable func reduce(_ sent: C.Action, _ source: ActionSource) {
    observers.next(sent)
    guard let composer else { return endOwn() }
    guard let action = isFiltered ? filter(sent, composer) : sent else { return }
    let effect = step([action], source, composer) { reduce(action, composer, &$0) }
    follow(effect, of: action, steps, .step(steps), context) { composer.disposeBag.insert($0) }
  }

  /// One step of several actions; none when all of them are dropped.
  @inlinable func reduce(_ sent: [C.Action], _ source: ActionSource) {
    for action in sent { observers.next(action) }
    guard let composer else { return endOwn() }
    let actions = isFiltered ? sent.compactMap { filter($0, composer) } : sent
    if actions.isEmpty { return }
    // Each with the bag that its reducer left: a later one may end it by putting another in its place.
    var effects: [(Observable<Effect<C.Action>>, C.Action, DisposeBag)] = []
    step(actions, source, composer) { state in
      for action in actions {
        let effect = reduce(action, composer, &state)
        if case .empty = effect.shape { continue }
        effects.append((effect, action, composer.disposeBag))
      }
    }
    for (effect, action, bag) in effects {
      follow(effect, of: action, steps, .step(steps), context) { bag.insert($0) }
    }
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
    if tracer != nil || isFiltered || !wanted.isEmpty || !live.isEmpty {
      endStep(actions(), source, state, wanted)
    }
    return result
  }

  /// The rest of a step that somebody looks on, or whose state asks for effects.
  @usableFromInline func endStep(
    _ actions: [C.Action], _ source: ActionSource, _ state: C.State,
    _ wanted: [LiveEffect<C.Action>]
  ) {
    let step = Step(number: steps, source: source, actions: actions, state: state)
    tracer?.send(.step(step), context.scheduler)
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

  /// Does what the reducer or a middleware has returned for `action` of that step.
  @inlinable @inline(__always) func follow(
    _ effect: Observable<Effect<C.Action>>, of action: C.Action, _ step: Int,
    _ origin: EffectOrigin, _ context: @autoclosure () -> EffectContext,
    heldBy hold: (Lifetime) -> Void
  ) {
    switch effect.shape {
    case .empty: break
    case .just(let effect): receive(effect, .step(step))
    default: start(effect, origin, context(), heldBy: hold) { $1.effectFailed($0, from: action) }
    }
  }

  /// Starts `effect` in `context`, until `hold` lets go of it; not when `hold` does so at once.
  ///
  /// Somebody else may hold what holds it: when it finds the composer gone, it ends itself.
  @inlinable func start(
    _ effect: @autoclosure () -> Observable<Effect<C.Action>>, _ origin: EffectOrigin,
    _ context: EffectContext, heldBy hold: (Lifetime) -> Void,
    onError: @escaping (any Error, C) -> Void
  ) {
    let number = effects.wrappingAdd(1, ordering: .relaxed).newValue
    let (tracer, clock) = (tracer, context.scheduler)
    tracer?.send(.started(effect: number, origin), clock)
    let running =
      if let tracer {
        ActionDisposable { tracer.send(.ended(effect: number, .cancelled), clock) }
      } else { Lifetime() }
    hold(running)
    if running.isClosed { return }
    let observer = Observer<Effect<C.Action>>(
      running,
      next: { [weak self] effect in
        if running.isClosed { return }
        guard let self, composer != nil else { return running.dispose() }
        receive(effect, .effect(number))
      },
      end: { [weak self] error in
        guard running.finish() else { return }
        tracer?.send(.ended(effect: number, EffectEnd(error)), clock)
        if let error, !(error is CancellationError) { self?.receive(.other { onError(error, $0) }) }
      })
    context.run { effect().start(observer) }
  }

  @inlinable func receive(_ effect: Effect<C.Action>, _ source: ActionSource) {
    switch effect {
    case .send(let action): receive(.action(action, source))
    case .group(let actions): receive(.group(actions, source))
    case .decision(let actions):
      receive(
        .other { [weak self] composer in
          guard let self else { return }
          reduce(context.run { actions(composer.state) }, source)
        })
    case .none: break
    }
  }

  // MARK: Middleware and tests

  /// Whether actions may be dropped or changed before they are reduced.
  @inlinable var isFiltered: Bool { isStubbed || !middleware.isEmpty }

  /// What is reduced in place of `action`.
  @usableFromInline func filter(_ action: C.Action, _ composer: C) -> C.Action? {
    if isStubbed { return nil }
    let state = composer.state
    return middleware.reduce(action) { action, each in
      action.flatMap { each.willReduce($0, state) }
    }
  }
}
