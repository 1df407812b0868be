/// A composer that reduces a part of its parent's state, and its state effects.
@usableFromInline
final class EmbeddedChild<ParentState: Sendable, ParentAction: Sendable, Embedded: Composer> {
  @usableFromInline let composer: Embedded
  /// Converts an effect of the child into one of the parent.
  @usableFromInline let lift: @Sendable (Effect<Embedded.Action>) -> Effect<ParentAction>
  /// The children of the child.
  @usableFromInline let children: [ChildDeclaration<Embedded.State, Embedded.Action>]
  /// The state effects; nil until there are any.
  @usableFromInline var stateEffects: RunningStateEffects?
  private var contexts: (parent: EffectContext, own: EffectContext)?

  @inlinable init(
    _ composer: Embedded, _ part: StatePart<ParentState, Embedded.State>,
    _ embed: @escaping @Sendable (Embedded.Action) -> ParentAction
  ) {
    self.composer = composer
    // Only the name of the type is used.
    nonisolated(unsafe) let child: any Composer.Type = Embedded.self
    lift = { $0.lifted(from: part, of: child, embed) }
    children = declaredChildren(of: composer)
  }

  /// The context of the child's effects, inside the context of the parent that reduces here.
  @usableFromInline var context: EffectContext? {
    guard let parent = EffectContext.ambient else { return nil }
    if let contexts, contexts.parent === parent { return contexts.own }
    let own = parent.embedded(owner: composer, identity: composer.action)
    contexts = (parent, own)
    return own
  }

  /// Reduces an action of the child, and returns its effect as one of the parent.
  @inlinable func reduce(_ state: inout Embedded.State, _ action: Embedded.Action) -> Observable<
    Effect<ParentAction>
  > {
    let context = context
    let outer = EffectContext.beginReducing(in: context)
    let effect = composer.reducer(&state, action)
    withExtendedLifetime(context) { EffectContext.endReducing(restoring: outer) }
    switch effect.shape {
    case .empty: return .none
    case .just(let effect): return .just(lift(effect))
    default: return embed(effect, context)
    }
  }

  /// Returns an effect of the child as one of the parent, which ends with the child.
  @usableFromInline func embed(
    _ effect: Observable<Effect<Embedded.Action>>, _ context: EffectContext?
  )
    -> Observable<Effect<ParentAction>>
  {
    Self.lifted(effect.cancellable(composer.disposeBag), lift, context)
  }

  @usableFromInline func embed(_ effect: StateEffect<Embedded.Action>, _ context: EffectContext?)
    -> StateEffect<ParentAction>
  {
    // In no bag: `end()` disposes of it.
    StateEffect(declaredID: effect.id) { [lift] in
      Self.lifted(context?.run(effect.make) ?? effect.make(), lift, context)
    }
  }

  private static func lifted(
    _ effect: Observable<Effect<Embedded.Action>>,
    _ lift: @escaping @Sendable (Effect<Embedded.Action>) -> Effect<ParentAction>,
    _ context: EffectContext?
  ) -> Observable<Effect<ParentAction>> {
    let effects = effect.map(lift)
    guard let context else { return effects }
    return Observable { down in context.run { effects.run(down) } }
  }

  /// Starts and ends the state effects that the child and its children have for `state`.
  @inlinable func update(
    _ state: Embedded.State,
    _ start: ChildDeclaration<ParentState, ParentAction>.StateEffectStarter
  ) {
    let wanted = composer.stateEffects(state)
    if wanted.isEmpty, stateEffects == nil, children.isEmpty { return }
    let context = context
    let outer = EffectContext.beginReducing(in: context)
    defer { withExtendedLifetime(context) { EffectContext.endReducing(restoring: outer) } }
    let startEmbedded: ChildDeclaration<Embedded.State, Embedded.Action>.StateEffectStarter = {
      start(self.embed($0, context))
    }
    if !wanted.isEmpty || stateEffects != nil {
      let stateEffects = stateEffects ?? RunningStateEffects()
      self.stateEffects = stateEffects
      stateEffects.update(wanted, startEmbedded)
    }
    for child in children { child.updateChildren(child, state, startEmbedded) }
  }

  /// Ends the effects of the child and of its children.
  ///
  /// Other code may keep the composer alive: its bag is replaced, and the old one disposed of.
  @usableFromInline func end() {
    for child in children { child.endChildren(child) }
    stateEffects?.end()
    let bag = composer.disposeBag
    composer.disposeBag = DisposeBag()
    bag.dispose()
  }
}
