import Synchronization

extension Store {
  /// Makes a step of one action: delivers it to the observers of the actions, reduces it, publishes
  /// the state and starts the effect.
  @inlinable func reduce(_ sent: C.Action, _ sender: ActionSender) {
    observers.next(sent)
    guard let composer else { return endComposerLifetime() }
    guard let action = isFiltered ? filter(sent, composer) : sent else { return }
    let effect = step(.one(action), sender, composer) { callReducer(action, composer, &$0) }
    run(effect, of: action, in: stepCount) { composer.disposeBag.insert($0) }
  }

  /// Makes a step of several actions; no step when all of them are dropped.
  @inlinable func reduce(_ sent: [C.Action], _ sender: ActionSender) {
    for action in sent { observers.next(action) }
    guard let composer else { return endComposerLifetime() }
    let actions = isFiltered ? sent.compactMap { filter($0, composer) } : sent
    if actions.isEmpty { return }
    // Each effect is inserted into the bag that its reducer call left. A later action of the group
    // that replaces the bag thereby cancels the effect, after it has started.
    var effects: [(Observable<Effect<C.Action>>, C.Action, DisposeBag)] = []
    step(.several(actions), sender, composer) { state in
      for action in actions {
        let effect = callReducer(action, composer, &state)
        if case .empty = effect.shape { continue }
        effects.append((effect, action, composer.disposeBag))
      }
    }
    let number = stepCount
    for (effect, action, bag) in effects {
      run(effect, of: action, in: number) { bag.insert($0) }
    }
  }

  /// Calls `body` with the state and publishes it, then traces the step, updates the state effects
  /// and calls the middleware.
  @inlinable @inline(__always) func step<Result>(
    _ actions: @autoclosure () -> StepActions<C.Action>, _ sender: ActionSender, _ composer: C,
    change: StateChange? = nil, _ body: (inout C.State) -> Result
  ) -> Result {
    let isPlain = isPlain
    if !isPlain { catchUp() }
    stepCount &+= 1
    // The only variable that holds the state: with a second owner, reducing in place would copy it.
    var state = box?.begin(inPlace: C.reducesInPlace) ?? composer.state
    let result = body(&state)
    if !isPlain {
      commitSharedParts(of: &state)
      if mayAdopt { adoptSharedValues(&state) }
    }
    if let box { box.end(state, inPlace: C.reducesInPlace) } else { composer.state = state }
    if isPlain, lazyTracer.unretained == nil, !isFiltered { return result }
    let tracer = isTraced.load(ordering: .relaxed) ? tracer : nil
    let drawn = tracer?.lazyDraws.object?.take(in: stepCount) ?? []
    if let tool {
      let step = TypedStep.make(
        number: stepCount, source: change?.source ?? sender.source, actions: actions(),
        change: change?.name, state: state, drawn: drawn)
      tool.stepped(step)
    }
    let isShown = isFiltered || tracer?.isObserved == true
    if isPlain, !isShown { return result }
    let wanted = hasStateEffects ? stateEffects(of: composer, state) : []
    if isShown {
      let step = ComposerStep(
        number: stepCount, source: change?.source ?? sender.source, actions: actions().array,
        change: change?.name, state: state, drawn: drawn)
      finishStep(step, wanted)
    } else {
      updateStateEffects(wanted, state)
    }
    return result
  }

  /// Finishes a step of a composer that has a trace or middleware.
  @usableFromInline func finishStep(
    _ step: ComposerStep<C.State, C.Action>, _ stateEffects: [StateEffect<C.Action>]
  ) {
    tracer?.send(.step(step), context.scheduler)
    updateStateEffects(stateEffects, step.state)
    if let change = step.change {
      for each in middleware { each.didReduce(.change(change), step.state, step.number) }
    }
    for action in step.actions {
      for each in middleware { each.didReduce(.action(action), step.state, step.number) }
    }
  }

  /// Performs the dismissals that wait before the mailbox.
  @usableFromInline func performDismissals() {
    while !dismissals.isEmpty {
      let waiting = dismissals
      dismissals = []
      for (effect, sender) in waiting {
        guard let composer else { return endComposerLifetime() }
        perform(effect, sender, composer)
      }
    }
  }

  /// Makes a step of a change and, if it has one, the action that follows it.
  ///
  /// - Parameter isWanted: whether the sender of the change has not ended.
  private func make(
    _ change: StateChange, _ sender: ActionSender, _ composer: C, if isWanted: () -> Bool
  ) {
    if isStubbed { return }
    var reduced: C.Action?
    if let sent: C.Action = change.followingAction(composer.state) {
      observers.next(sent)
      reduced = isFiltered ? filter(sent, composer) : sent
      // An observer may have written the state, and have ended the child.
      updateIfWritten(composer)
      if !isWanted() { return }
    }
    guard let action = reduced else {
      return step(.several([]), sender, composer, change: change) { change.change(&$0) }
    }
    let effect = step(.one(action), sender, composer, change: change) { state in
      change.change(&state)
      return callReducer(action, composer, &state)
    }
    run(effect, of: action, in: stepCount) { composer.disposeBag.insert($0) }
  }

  /// Calls `stateEffects(_:)`, with this store as the context of the effects that it makes.
  @inlinable @inline(__always) func stateEffects(of composer: C, _ state: C.State) -> [StateEffect<
    C.Action
  >] {
    let outer = EffectContext.beginReducing(in: self)
    defer { EffectContext.endReducing(restoring: outer) }
    return composer.stateEffects(state)
  }

  /// Calls the reducer, with this store as the context of the effects that it makes.
  @inlinable @inline(__always) func callReducer(
    _ action: C.Action, _ composer: C, _ state: inout C.State
  ) -> Observable<Effect<C.Action>> {
    let outer = EffectContext.beginReducing(in: self)
    defer { EffectContext.endReducing(restoring: outer) }
    if !isPlain, reducesTwice { return reduceTwice(action, composer, &state) }
    return composer.reducer(&state, action)
  }

  /// Calls the reducer, and a second time for ``StoreCore/reducesTwice``: it draws the same values then, and its
  /// effect is not started.
  @usableFromInline func reduceTwice(
    _ action: C.Action, _ composer: C, _ state: inout C.State
  ) -> Observable<Effect<C.Action>> {
    var again = state
    let drawnBefore = draws?.count(in: stepCount) ?? 0
    let effect = composer.reducer(&state, action)
    if let draws {
      draws.repeating(from: drawnBefore, in: stepCount) { _ = composer.reducer(&again, action) }
    } else {
      _ = composer.reducer(&again, action)
    }
    tool?.reduced(action, state, again: again)
    return effect
  }

  /// Runs the effect that the reducer has returned for `action` in the step with this number.
  ///
  /// A single element (`.just`) is received directly: it has no number and is not traced. A dismissal
  /// has its turn before the mailbox: an action in it could end the child, whose result would be lost.
  @inlinable @inline(__always) func run(
    _ effect: Observable<Effect<C.Action>>, of action: C.Action, in step: Int,
    insertInto insert: (Lifetime) -> Void
  ) {
    switch effect.shape {
    case .empty: break
    case .just(let effect):
      if effect.isDismissalAlone { return dismissals.append((effect, .step(step))) }
      receive(effect, .step(step))
    default:
      start(
        effect, .step(step), label: effect.label, kind: effect.effectKind, .action(action), context,
        insertInto: insert)
    }
  }

  /// Starts `effect` in `context`.
  ///
  /// `insert` adds it to a container; it runs until it ends or the container disposes of it. With a
  /// closed container it is traced as started and cancelled, and its observable is not subscribed
  /// to. `label` names it in the trace, and tools show its `kind`.
  ///
  /// Other code may keep the container alive after the composer was released: the effect ends when
  /// it sends an action and finds no composer.
  @discardableResult @inlinable func start(
    _ effect: @autoclosure () -> Observable<Effect<C.Action>>,
    _ origin: @autoclosure () -> EffectOrigin,
    label: @autoclosure () -> AnyHashable? = nil, kind: @autoclosure () -> EffectKind? = nil,
    _ source: @autoclosure @escaping () -> EffectFailure<C.Action>.Source,
    _ context: EffectContext, insertInto insert: (Lifetime) -> Void
  ) -> Lifetime {
    let number = startedEffects.wrappingAdd(1, ordering: .relaxed).newValue
    let tracer = tracer
    let clock = context.scheduler
    tracer?.send(
      .started(effect: number, origin(), id: label().map { "\($0)".withoutAddresses }), clock,
      effectKind: kind())
    let running =
      if let tracer {
        ActionDisposable { [weak self] in
          tracer.send(.ended(effect: number, .cancelled), clock, in: self?.endingStep)
        }
      } else { Lifetime() }
    insert(running)
    if running.isClosed { return running }
    let observer = Observer<Effect<C.Action>>(
      running,
      next: { [weak self] effect in
        if running.isClosed { return }
        guard let self, composer != nil else { return running.dispose() }
        receive(effect, .effect(number))
      },
      end: { [weak self] error in
        guard running.finish() else { return }
        if let tracer {
          let outcome = EffectOutcome(error)
          let step = outcome == .cancelled ? self?.endingStep : nil
          tracer.send(.ended(effect: number, outcome), clock, in: step)
        }
        guard let self, let error, !(error is CancellationError) else { return }
        let (failure, sender) = (EffectFailure(error, source()), SenderLife.takeFailing())
        receive(.work { [weak self] in self?.handle(failure, of: number, from: sender, $0) })
      })
    context.run { effect().start(observer) }
    return running
  }

  @inlinable func receive(_ effect: Effect<C.Action>, _ sender: ActionSender) {
    switch effect {
    case .send(let action): receive(.action(action, sender))
    case .group(let actions): receive(.group(actions, sender))
    case .decision, .change, .dismiss, .guarded:
      effect.noteWaiting(true)
      receive(
        .work { [weak self] composer in
          effect.noteWaiting(false)
          self?.perform(effect, sender, composer)
        })
    case .none: break
    }
  }

  /// Performs an effect in its turn.
  ///
  /// - Parameter isWanted: whether the senders of the effect have not ended.
  @usableFromInline func perform(
    _ effect: Effect<C.Action>, _ sender: ActionSender, _ composer: C,
    if isWanted: () -> Bool = { true }
  ) {
    switch effect {
    case .send(let action): reduce(action, sender)
    case .group(let actions): reduce(actions, sender)
    case .decision(let decide):
      catchUp()
      reduce(context.run { decide(composer.state) }, sender)
    case .change(let change): make(change, sender, composer, if: isWanted)
    case .dismiss where isTested:
      make(StateChange("dismiss") { (_: inout C.State) in }, sender, composer, if: isWanted)
    case .dismiss: report(.dismissedWithoutParent(composer: name))
    case .guarded(let guarded):
      updateIfWritten(composer)
      catchUp()
      guard guarded.isWanted() else { return }
      perform(guarded.effect, sender, composer) { isWanted() && guarded.isWanted() }
    case .none: break
    }
  }

  // MARK: Middleware and stubs

  /// Whether actions may be dropped or replaced before they are reduced.
  @inlinable var isFiltered: Bool { isStubbed || !middleware.isEmpty }

  /// Returns the action to reduce in place of `action`; nil when it is dropped.
  @usableFromInline func filter(_ action: C.Action, _ composer: C) -> C.Action? {
    if isStubbed { return nil }
    catchUp()
    let state = composer.state
    return middleware.reduce(action) { action, each in
      action.flatMap { each.willReduce($0, state) }
    }
  }
}
