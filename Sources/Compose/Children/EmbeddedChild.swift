/// A composer that reduces a part of its parent's state, and its state effects.
@usableFromInline
final class EmbeddedChild<ParentState: Sendable, ParentAction: Sendable, Embedded: Composer>:
  ChildContext
{
  @usableFromInline let composer: Embedded
  @usableFromInline let life = SenderLife()
  /// Identifies the push of a screen, whose id may be that of a screen of another stack.
  @usableFromInline var push: ElementVersion?
  /// Converts an effect of the child into one of the parent.
  @usableFromInline let lift: @Sendable (Effect<Embedded.Action>) -> Effect<ParentAction>
  /// The children of the child.
  @usableFromInline let children: [ChildDeclaration<Embedded.State, Embedded.Action>]
  /// The shared parts of the child's state; nil for none.
  @usableFromInline let sharedParts: [SharedPart<Embedded.State>]?
  #if DEBUG
  @usableFromInline var isChecked = false
  #endif
  /// The state effects; nil until there are any.
  @usableFromInline var stateEffects: RunningStateEffects?

  @inlinable init(
    _ composer: Embedded, _ part: StatePart<ParentState, Embedded.State>,
    onDismiss: (@Sendable (Embedded.State) -> ParentAction)?,
    _ embed: @escaping @Sendable (Embedded.Action) -> ParentAction
  ) {
    self.composer = composer
    // Only the name of the type is used.
    nonisolated(unsafe) let child: any Composer.Type = Embedded.self
    lift = { [life] in $0.lifted(from: part, of: child, life, onDismiss: onDismiss, embed) }
    children = declaredChildren(of: composer)
    sharedParts = children.isEmpty ? nil : findSharedParts(among: children)
    super.init(owner: composer, identity: composer.action)
  }

  /// Reduces an action of the child, and returns its effect as one of the parent.
  @inlinable func reduce(_ state: inout Embedded.State, _ action: Embedded.Action) -> Observable<
    Effect<ParentAction>
  > {
    let outer = EffectContext.beginReducing(in: self)
    let effect =
      sharedParts == nil ? composer.reducer(&state, action) : reduceShared(&state, action)
    EffectContext.endReducing(restoring: outer)
    defer { parent = nil }
    switch effect.shape {
    case .empty: return .none
    case .just(let effect): return .just(lift(effect))
    default: return embed(effect)
    }
  }

  /// The same in a child that shares parts of its state, which it writes before a parent may remove it.
  @usableFromInline func reduceShared(_ state: inout Embedded.State, _ action: Embedded.Action)
    -> Observable<Effect<Embedded.Action>>
  {
    guard let sharedParts, let store = EffectContext.reducingStore, !store.isStubbed else {
      return composer.reducer(&state, action)
    }
    for part in sharedParts { part.adopt(&state) }
    defer { for part in sharedParts { part.commit(&state, in: store) } }
    return composer.reducer(&state, action)
  }

  /// Whether the child or one of its children may have shared parts.
  @inlinable var mayShare: Bool { sharedParts != nil || children.contains(where: \.mayShare) }

  /// Whether the child or one of its children has shared parts that have not been its shared values.
  @usableFromInline func mustAdopt(_ state: Embedded.State) -> Bool {
    (sharedParts ?? []).contains { $0.mustAdopt(state) }
      || children.contains { $0.mayShare && $0.mustAdopt($0, state) }
  }

  /// Sets those parts to their shared values, or to those of a recorded state.
  @usableFromInline func adopt(_ state: inout Embedded.State, _ recorded: Embedded.State?) {
    for part in sharedParts ?? [] where part.mustAdopt(state) {
      if let recorded { part.adopt(&state, from: recorded) } else { part.adopt(&state) }
    }
    for child in children { child.adoptInNewChildren(&state, recorded) }
  }

  /// Returns an effect of the child as one of the parent, which ends with the child.
  @usableFromInline func embed(_ effect: Observable<Effect<Embedded.Action>>)
    -> Observable<Effect<ParentAction>>
  {
    let lifted = lifted(effect.cancellable(composer.disposeBag))
    return effect.label.map { LabeledObservable($0, effect.kindNumber, lifted.run) } ?? lifted
  }

  @usableFromInline func embed(_ effect: StateEffect<Embedded.Action>) -> StateEffect<ParentAction>
  {
    // In no bag: `end()` disposes of it.
    StateEffect(declaredID: effect.id, isTraced: effect.isTraced) { [self] in
      lifted(context?.run(effect.make) ?? effect.make())
    }
  }

  private func lifted(_ effect: Observable<Effect<Embedded.Action>>)
    -> Observable<Effect<ParentAction>>
  {
    NumberedObservable(effect.kindNumber) { [lift, life, context, run = effect.run] down in
      let observer = Observer<Effect<Embedded.Action>>(
        down.lifetime, next: { down.next(lift($0)) },
        end: { error in
          if error == nil { down.end(nil) } else { life.fail { down.end(error) } }
        })
      if let context { context.run { run(observer) } } else { run(observer) }
    }
  }

  /// Starts and ends the state effects that the child and its children have for `state`.
  @inlinable func update(
    _ state: Embedded.State,
    _ start: ChildDeclaration<ParentState, ParentAction>.StateEffectStarter
  ) {
    let outer = EffectContext.beginReducing(in: self)
    defer {
      EffectContext.endReducing(restoring: outer)
      parent = nil
    }
    #if DEBUG
    if !isChecked, sharedParts == nil { reportSharedWithNobody(Embedded.self, state, children) }
    isChecked = true
    #endif
    let wanted = composer.stateEffects(state)
    if wanted.isEmpty, stateEffects == nil, children.isEmpty { return }
    let startEmbedded: ChildDeclaration<Embedded.State, Embedded.Action>.StateEffectStarter = {
      start(self.embed($0))
    }
    if !wanted.isEmpty || stateEffects != nil {
      let stateEffects = stateEffects ?? RunningStateEffects()
      self.stateEffects = stateEffects
      stateEffects.update(wanted, startEmbedded)
    }
    for child in children { child.updateChildren(child, state, startEmbedded) }
  }

  /// Ends the child, its effects and its children, and drops what it has sent.
  ///
  /// Other code may keep the composer alive: its bag is replaced, and the old one disposed of. The
  /// closures that are called then may read the parent's state: this is not called in a reducer.
  @usableFromInline func end() {
    life.end()
    // Before those of its children: an effect that follows another one must not start now.
    let bag = composer.disposeBag
    composer.disposeBag = DisposeBag()
    bag.dispose()
    stateEffects?.end()
    for child in children { child.endChildren(child) }
  }
}
