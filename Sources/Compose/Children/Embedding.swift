extension Composer {
  /// Reduces a child's action on the child's part of the state.
  ///
  /// ```swift
  /// case .editor(let action):
  ///   return reduce(editor, &state.editor, action) { .editor($0) }
  /// ```
  ///
  /// The child is its reducer and its bag: its effects end with its bag or with the child, ids of
  /// effects are its own, and its own `state` is not kept in step. It need not be bound. What an effect
  /// of it fails with goes to this composer's `effectFailed(_:from:)`.
  ///
  /// - Parameters:
  ///   - child: the child.
  ///   - state: its part of the state.
  ///   - action: its action.
  ///   - embed: makes an action of this composer of one of the child's.
  public func reduce<Child: Composer>(
    _ child: Child, _ state: inout Child.State, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> {
    let context = EffectContext.here?.embedding(child, child.action)
    let effect =
      context?.reducing { child.reducer(&state, action) } ?? child.reducer(&state, action)
    switch effect.shape {
    case .empty: return .none
    case .just(let effect): return .just(effect.map(embed))
    default: return effect.embedded(in: child, embed)
    }
  }

  /// What a child's state asks for: a part of this composer's ``subscriptions(_:)``.
  public func subscriptions<Child: Composer>(
    of child: Child, _ state: Child.State, _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> [LiveEffect<Action>] { child.subscriptions(state).map { $0.embedded(in: child, embed) } }

  /// What the state of an optional child asks for; without a state, the child and its effects end.
  public func subscriptions<Child: Composer>(
    of child: OptionalChild<Child>, _ state: Child.State?,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> [LiveEffect<Action>] {
    subscriptions(of: child.children, state.map { [0: $0] } ?? [:]) { _, action in embed(action) }
  }

  /// What the states of children ask for; those without a state end, and their effects.
  public func subscriptions<ID: Hashable & Sendable, Child: Composer>(
    of children: Children<ID, Child>, _ states: [ID: Child.State],
    _ embed: @escaping @Sendable (ID, Child.Action) -> Action
  ) -> [LiveEffect<Action>] {
    children.match(states.keys) { states[$0] != nil }
    return children.order.flatMap { id -> [LiveEffect<Action>] in
      guard let state = states[id] else { return [] }
      return subscriptions(of: children[id], state) { embed(id, $0) }
    }
  }

  /// Reduces the action of a child that is there as long as its state is.
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
  /// The child is made when it is first used. Without a state it ends, the action is dropped, and that is
  /// reported to ``ComposeHooks``. A composer that names the child in ``subscriptions(_:)`` need not
  /// remove it.
  public func reduce<Child: Composer>(
    _ child: OptionalChild<Child>, _ state: inout Child.State?, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> { reduce(child.children, 0, &state, action, embed) }

  /// Reduces the action of the child of this id, which is there as long as its state is.
  ///
  /// ```swift
  /// case .row(let id, let action):
  ///   return reduce(rows, id, &state.rows[id], action) { .row(id, $0) }
  /// case .delete(let id):
  ///   state.rows[id] = nil
  ///   rows.remove(id)
  /// ```
  ///
  /// The child is made when it is first used. Without a state it ends, the action is dropped, and that is
  /// reported to ``ComposeHooks``. A composer that names the children in ``subscriptions(_:)`` need not
  /// remove them.
  public func reduce<ID: Hashable, Child: Composer>(
    _ children: Children<ID, Child>, _ id: ID, _ state: inout Child.State?, _ action: Child.Action,
    _ embed: @escaping @Sendable (Child.Action) -> Action
  ) -> Observable<Effect<Action>> {
    guard var present = state else {
      children.remove(id)
      ComposeHooks.report(.childIsAbsent(child: "\(Child.self) \(id)", action: "\(action)"))
      return .none
    }
    // The place is empty meanwhile, so that what the child's state holds is not copied.
    state = nil
    let effect = reduce(children[id], &present, action, embed)
    state = present
    return effect
  }
}

/// The children of a composer, one for each id: made when it is first used, ended when it is removed.
///
/// ```swift
/// let rows = Children { (id: Row.ID) in RowComposer(id) }
/// ```
public final class Children<ID: Hashable, Child: Composer> {
  private var all: [ID: Child] = [:]
  /// The ids in the order in which the children were made: the same every time, which a dictionary's
  /// is not.
  private(set) var order: [ID] = []
  private let make: (ID) -> Child

  /// No children yet; `make` makes the one of an id.
  public init(_ make: @escaping (ID) -> Child) { self.make = make }

  /// The child of `id`.
  public subscript(id: ID) -> Child {
    if let child = all[id] { return child }
    let child = make(id)
    all[id] = child
    order.append(id)
    return child
  }

  /// The ids of the children there are.
  public var ids: Set<ID> { Set(all.keys) }

  /// Ends the child of `id` and its effects.
  public func remove(_ id: ID) {
    guard all.removeValue(forKey: id) != nil, let index = order.firstIndex(of: id) else { return }
    order.remove(at: index)
  }

  /// Ends the children that are not wanted, and makes those of `ids` that are not there, by name.
  func match(_ ids: some Collection<ID>, _ isWanted: (ID) -> Bool) {
    for id in order where !isWanted(id) { remove(id) }
    if ids.count == order.count { return }
    for id in ids.filter({ all[$0] == nil }).sorted(by: { "\($0)" < "\($1)" }) { _ = self[id] }
  }
}

/// A child that is there as long as its state is not nil.
///
/// ```swift
/// let editor = OptionalChild { EditorComposer() }
/// ```
public final class OptionalChild<Child: Composer> {
  let children: Children<Int, Child>

  /// No child yet; `make` makes it when it is first used, and again after it has ended.
  public init(_ make: @escaping () -> Child) { children = Children { _ in make() } }

  /// Ends the child and its effects.
  public func remove() { children.remove(0) }
}

extension Observable {
  /// The effect of a child, whose actions become its parent's: it ends with the child's bag.
  func embedded<Action, Parent>(
    in child: some Composer, _ embed: @escaping @Sendable (Action) -> Parent
  ) -> Observable<Effect<Parent>> where Element == Effect<Action> {
    let context = EffectContext.here?.embedding(child, child.action)
    let effects = cancellable(child.disposeBag).map { $0.map(embed) }
    guard let context else { return effects }
    return Observable<Effect<Parent>> { down in context.run { effects.run(down) } }
  }
}
