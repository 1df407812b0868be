extension Composer {
  // MARK: Reducing

  /// Reduces a child's action on the child's part of the state.
  ///
  /// ```swift
  /// case .editor(let action):
  ///   return reduce(editor, &state.editor, action) { .editor($0) }
  /// ```
  ///
  /// Only the child's reducer and its bag are used. The child need not be bound, and its own
  /// `state` is not updated. Its effects end with its bag or when the child is released. Its ids
  /// are separate from this composer's. Errors of its effects go to this composer's
  /// `effectFailed(_:)`.
  ///
  /// - Parameters:
  ///   - child: child composer.
  ///   - state: child's part of the state.
  ///   - action: child's action.
  ///   - embed: converts an action of the child to an action of this composer.
  public func reduce<Child: Composer>(
    _ child: Child, _ state: inout Child.State, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> {
    let context = EffectContext.ambient?.embedded(owner: child, identity: child.action)
    let effect =
      context?.reducing { child.reducer(&state, action) } ?? child.reducer(&state, action)
    switch effect.shape {
    case .empty: return .none
    case .just(let effect): return .just(effect.map(embed))
    default: return effect.embedded(in: child, embed)
    }
  }

  /// Reduces an action of a child that exists while its state is not nil.
  ///
  /// ```swift
  /// let editor = OptionalChild { EditorComposer() }
  ///
  /// case .editor(let action):
  ///   return reduce(editor, &state.editor, action) { .editor($0) }
  /// case .closeEditor:
  ///   state.editor = nil
  ///   editor.remove()
  /// ```
  ///
  /// The child is created when it is first used. When its state is nil, the child ends, the action
  /// is dropped and a problem is reported to ``ComposeHooks``. When its state has another id than
  /// the child, before or after the reduction, the child and its effects end.
  ///
  /// A composer that passes the child to `stateEffects(of:_:_:)` need not call `remove()`: the
  /// child ends in the step that removes or replaces its state. Otherwise a replaced child ends
  /// with the next action for the new one.
  public func reduce<Child: Composer>(
    _ child: OptionalChild<Child>, _ state: inout Child.State?, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> {
    guard var present = state else {
      child.remove()
      ComposeHooks.report(.childIsAbsent(child: "\(Child.self)", action: "\(action)"))
      return .none
    }
    // With nil in its place, `present` is the only owner of the child's state, so that changing it
    // does not copy.
    state = nil
    let effect = reduce(child.child(for: present), &present, action, embed)
    child.removeUnlessIdentified(by: present)
    state = present
    return effect
  }

  /// Reduces an action of the child with this id, which exists while its state is not nil.
  ///
  /// ```swift
  /// case .row(let id, let action):
  ///   return reduce(rows, id, &state.rows[id: id], action) { .row(id, $0) }
  /// case .delete(let id):
  ///   state.rows[id: id] = nil
  ///   rows.remove(id)
  /// ```
  ///
  /// The states are in an ``IdentifiedArray``, or in a dictionary.
  ///
  /// The child is created when it is first used. When its state is nil, the child ends, the action
  /// is dropped and a problem is reported to ``ComposeHooks``. A composer that passes the children
  /// to `stateEffects(of:_:_:)` need not call `remove(_:)`.
  public func reduce<ID: Hashable, Child: Composer>(
    _ children: Children<ID, Child>, _ id: ID, _ state: inout Child.State?, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> {
    guard var present = state else {
      children.remove(id)
      ComposeHooks.report(.childIsAbsent(child: "\(Child.self) \(id)", action: "\(action)"))
      return .none
    }
    // As above, `present` is the only owner of the child's state.
    state = nil
    let effect = reduce(children[id], &present, action, embed)
    state = present
    return effect
  }

  // MARK: State effects

  /// The state effects of a child, for use in this composer's ``stateEffects(_:)``.
  public func stateEffects<Child: Composer>(
    of child: Child, _ state: Child.State, _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> [StateEffect<Action>] { child.stateEffects(state).map { $0.embedded(in: child, embed) } }

  /// The state effects of an optional child.
  ///
  /// When `state` is nil or has another id, the child and its effects end.
  public func stateEffects<Child: Composer>(
    of child: OptionalChild<Child>, _ state: Child.State?,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> [StateEffect<Action>] {
    guard let state else {
      child.remove()
      return []
    }
    return stateEffects(of: child.child(for: state), state, embed)
  }

  /// The state effects of many children.
  ///
  /// Children without a state end, with their effects.
  public func stateEffects<ID: Hashable & Sendable, Child: Composer>(
    of children: Children<ID, Child>, _ states: [ID: Child.State],
    _ embed: @escaping @Sendable (ID, Child.Action) -> Action
  ) -> [StateEffect<Action>] {
    children.match(states.keys) { states[$0] != nil }
    return children.order.flatMap { id -> [StateEffect<Action>] in
      guard let state = states[id] else { return [] }
      return stateEffects(of: children[id], state) { embed(id, $0) }
    }
  }

  /// The state effects of many children, in the order of their states.
  ///
  /// Only the children whose states have changed since the last call are asked, so that the effects
  /// of a child must depend on its state alone. Children without a state end, with their effects.
  public func stateEffects<Child: Composer>(
    of children: Children<Child.State.ID, Child>, _ states: IdentifiedArray<Child.State>,
    _ embed: @escaping @Sendable (Child.State.ID, Child.Action) -> Action
  ) -> [StateEffect<Action>] where Child.State: Identifiable, Child.State.ID: Sendable {
    children.stateEffects(of: states) { child, state in
      let id = state.id
      return stateEffects(of: child, state) { embed(id, $0) }
    }
  }
}

extension Observable {
  /// This effect of a child as an effect of the parent: it sends the parent's actions, and ends
  /// with the child's bag.
  func embedded<Action, Parent>(
    in child: some Composer, _ embed: @escaping @Sendable (Action) -> Parent
  ) -> Observable<Effect<Parent>> where Element == Effect<Action> {
    let context = EffectContext.ambient?.embedded(owner: child, identity: child.action)
    let effects = cancellable(child.disposeBag).map { $0.map(embed) }
    guard let context else { return effects }
    return Observable<Effect<Parent>> { down in context.run { effects.run(down) } }
  }
}
