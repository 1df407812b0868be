/// A child of a composer: another composer, which reduces a part of the state.
///
/// ```swift
/// let cover = Child(\State.cover, Action.cover) { Page() }
/// let editor = Child(\State.editor, Action.editor) { Editor() }
///
/// func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
///   switch action {
///   case .cover(let action): return cover.reduce(&state, action)
///   case .editor(let action): return editor.reduce(&state, action)
///   case .edit(let draft): state.editor = Editor.State(draft)
///   ...
/// ```
///
/// The declaration names what belongs together: the child's part of the state, the case of its actions,
/// and its composer. Declare it with `let`; the composer that owns it finds it among its properties.
///
/// A child whose state is optional exists while its state is not nil after a step: it is created when the
/// state appears. It is identified by the id of its state, if that is `Identifiable`: a state with
/// another id belongs to another child, also when the child itself has changed its id. With the step
/// that removes or replaces its state a child ends with its effects; what it has sent before, and
/// returned in this step, is dropped.
///
/// The closure that creates the child returns a new composer each time. It and the closure that
/// returns an id may be called in the reducer: they must not read the state of the composer that
/// declares the child. They must not hold that composer either: both would stay alive.
///
/// Only the child's reducer, its ``Composer/stateEffects(_:)``, its own children and its bag are used.
/// It is not bound, and its own `state` is not updated. Its ids are separate from those of the parent.
/// The errors of its effects go to the bound composer's `effectFailed(_:)`.
public final class Child<State: Sendable, Action: Sendable, Embedded: Composer>:
  ChildDeclaration<State, Action>
{
  @usableFromInline typealias Node = EmbeddedChild<State, Action, Embedded>

  /// The child that exists, and the id of its state.
  @usableFromInline var current: (id: AnyHashable?, node: Node)?
  @usableFromInline var replaced = ReplacedChildren<AnyHashable?, Node>()
  @usableFromInline let part: StatePart<State, Embedded.State>
  /// Returns the id of a state; nil for a child without ids.
  @usableFromInline let id: ((Embedded.State) -> AnyHashable)?
  @usableFromInline let make: () -> Node

  /// - Parameter id: returns the id of a state; nil for a child without ids.
  @inlinable init(
    _ part: StatePart<State, Embedded.State>, id: ((Embedded.State) -> AnyHashable)?,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action, _ make: @escaping () -> Embedded
  ) {
    self.part = part
    self.id = id
    self.make = { Node(make(), part, onDismiss: onDismiss, embed) }
    super.init(
      of: Embedded.State.self,
      update: { unsafeDowncast($0, to: Child.self).update($1, $2) },
      mustAdopt: { unsafeDowncast($0, to: Child.self).mustAdopt($1) },
      adopt: { unsafeDowncast($0, to: Child.self).adopt(&$1, $2) },
      end: { unsafeDowncast($0, to: Child.self).end() })
  }

  deinit { end() }

  override func summary(in state: State) -> ChildSummary? {
    let part = part.read(state)
    let children = part.map { part in
      current?.node.children.compactMap { $0.summary(in: part) } ?? []
    }
    return ChildSummary(
      name: "\(Embedded.self)", isMany: false, liveCount: part == nil ? 0 : 1,
      children: children ?? [])
  }

  // MARK: Declaring

  /// A child that always exists.
  ///
  /// - Parameters:
  ///   - path: the child's part of the state; `\State.self` for all of it.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - make: creates the child, when the composer is bound.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, Embedded.State> & Sendable,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action, _ make: @escaping () -> Embedded
  ) { self.init(StatePart(path), id: nil, embed, make) }

  /// A child that exists while its state is not nil.
  ///
  /// All states belong to the same child, until one of them is nil.
  ///
  /// - Parameters:
  ///   - path: the child's part of the state.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - onDismiss: returns, for the last state, the action that is reduced in the step of the child's
  ///     `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child, each time when its state appears.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, Embedded.State?> & Sendable,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) { self.init(StatePart(path), id: nil, onDismiss: onDismiss, embed, make) }

  /// A child that exists while its state is not nil, and is identified by the `id` of its state.
  ///
  /// - Parameters:
  ///   - path: the child's part of the state.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - onDismiss: returns, for the last state, the action that is reduced in the step of the child's
  ///     `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child, each time when its state appears or has another id.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, Embedded.State?> & Sendable,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID: Sendable {
    self.init(StatePart(path), id: { AnyHashable($0.id) }, onDismiss: onDismiss, embed, make)
  }

  /// A child that exists while its state is not nil, and is identified by a part of its state.
  ///
  /// ```swift
  /// let sheet = Child(\State.sheet, id: \.room, Action.sheet) { Sheet() }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the child's part of the state.
  ///   - id: what identifies the child.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - onDismiss: returns, for the last state, the action that is reduced in the step of the child's
  ///     `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child, each time when its state appears or has another id.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, Embedded.State?> & Sendable,
    id: @escaping @Sendable (Embedded.State) -> some Hashable & Sendable,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) { self.init(StatePart(path), id: { AnyHashable(id($0)) }, onDismiss: onDismiss, embed, make) }

  /// A child that exists while the state, which is an enum, is in one case.
  ///
  /// ```swift
  /// enum State { case list(List.State), detail(Detail.State) }
  ///
  /// let detail = Child(
  ///   case: State.detail, { if case .detail(let detail) = $0 { detail } else { nil } }, Action.detail
  /// ) { Detail() }
  /// ```
  ///
  /// All states of the case belong to the same child.
  ///
  /// - Parameters:
  ///   - path: the case.
  ///   - extract: returns the value of the case; nil for other cases.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - make: creates the child, each time when its state appears.
  @inlinable public convenience init(
    case path: @escaping @Sendable (Embedded.State) -> State,
    _ extract: @escaping @Sendable (State) -> Embedded.State?,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action, _ make: @escaping () -> Embedded
  ) { self.init(StatePart(case: path, extract), id: nil, embed, make) }

  /// A child that exists while the state, which is an enum, is in one case, and is identified by the
  /// `id` of its state.
  ///
  /// - Parameters:
  ///   - path: the case.
  ///   - extract: returns the value of the case; nil for other cases.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - make: creates the child, each time when its state appears or has another id.
  @inlinable public convenience init(
    case path: @escaping @Sendable (Embedded.State) -> State,
    _ extract: @escaping @Sendable (State) -> Embedded.State?,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action, _ make: @escaping () -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID: Sendable {
    self.init(StatePart(case: path, extract), id: { AnyHashable($0.id) }, embed, make)
  }

  /// A child that exists while a part of the state, which is an optional enum, is in one case.
  ///
  /// ```swift
  /// enum Destination { case detail(Detail.State), filter(Filter.State) }
  /// struct State { var destination: Destination? }
  ///
  /// let detail = Child(
  ///   \State.destination, case: Destination.detail,
  ///   { if case .detail(let detail) = $0 { detail } else { nil } }, Action.detail
  /// ) { Detail() }
  /// ```
  ///
  /// At most one of such children exists at a time. All states of the case belong to the same child. One
  /// that dismisses itself sets the part to nil.
  ///
  /// - Parameters:
  ///   - path: the part of the state.
  ///   - case: the case.
  ///   - extract: returns the value of the case; nil for other cases.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - onDismiss: returns, for the last state, the action that is reduced in the step of the child's
  ///     `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child, each time when its state appears.
  @inlinable public convenience init<Cases>(
    _ path: any WritableKeyPath<State, Cases?> & Sendable,
    case: @escaping @Sendable (Embedded.State) -> Cases,
    _ extract: @escaping @Sendable (Cases) -> Embedded.State?,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) {
    self.init(
      StatePart(path, case: `case`, extract), id: nil, onDismiss: onDismiss, embed, make)
  }

  /// A child that exists while a part of the state, which is an optional enum, is in one case, and is
  /// identified by the `id` of its state.
  ///
  /// - Parameters:
  ///   - path: the part of the state.
  ///   - case: the case.
  ///   - extract: returns the value of the case; nil for other cases.
  ///   - embed: converts an action of the child to one of this composer: the case of `Action` itself.
  ///   - onDismiss: returns, for the last state, the action that is reduced in the step of the child's
  ///     `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child, each time when its state appears or has another id.
  @inlinable public convenience init<Cases>(
    _ path: any WritableKeyPath<State, Cases?> & Sendable,
    case: @escaping @Sendable (Embedded.State) -> Cases,
    _ extract: @escaping @Sendable (Cases) -> Embedded.State?,
    _ embed: @escaping @Sendable (Embedded.Action) -> Action,
    onDismiss: (@Sendable (Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID: Sendable {
    self.init(
      StatePart(path, case: `case`, extract), id: { AnyHashable($0.id) }, onDismiss: onDismiss,
      embed, make)
  }

  // MARK: Reducing

  /// Reduces an action of the child on its part of the state, and returns the effect to return from
  /// this composer's reducer.
  ///
  /// When the child has no state, the action is dropped and a problem is reported to ``ComposeHooks``.
  @inlinable public func reduce(_ state: inout State, _ action: Embedded.Action) -> Observable<
    Effect<Action>
  > {
    if !isFound { reportNotFound("\(Embedded.self)") }
    var effect = Observable<Effect<Action>>.none
    let isPresent = part.modify(&state) { part in
      effect = node(for: part).reduce(&part, action)
    }
    if !isPresent {
      let child = "\(Embedded.self)"
      ComposeHooks.reportAfterStep { .childIsAbsent(child: child, action: "\(action)") }
    }
    return effect
  }

  // MARK: The child

  /// Returns the child of `state`, which replaces a child with another id.
  @inlinable func node(for state: Embedded.State) -> Node {
    let id = id?(state)
    if let current {
      if current.id == id { return current.node }
      // A declaration that is not found is not updated, and would keep them for ever.
      if isFound { replaced.append(current.node, current.id) }
    }
    let node = replaced.remove(id) ?? make()
    current = (id, node)
    return node
  }

  @inlinable func update(_ state: State, _ start: StateEffectStarter) {
    guard let part = part.read(state) else { return end() }
    let node = node(for: part)
    for node in replaced.removeAll() { node.end() }
    node.update(part, start)
  }

  @usableFromInline func mustAdopt(_ state: State) -> Bool {
    guard let part = part.read(state) else { return false }
    let node = node(for: part)
    mayShare = node.mayShare
    return mayShare && node.mustAdopt(part)
  }

  @usableFromInline func adopt(_ state: inout State, _ recorded: State?) {
    let recorded = recorded.flatMap(part.read)
    _ = part.modify(&state) { part in node(for: part).adopt(&part, recorded) }
  }

  @usableFromInline func end() {
    let ended = replaced.removeAll() + (current.take().map { [$0.node] } ?? [])
    for node in ended { node.end() }
  }
}
