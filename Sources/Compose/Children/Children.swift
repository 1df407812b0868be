/// The children of a composer, one for each element of an ``IdentifiedArray`` or each screen of a
/// ``ScreenStack``.
///
/// ```swift
/// let rows = Children(\State.rows, Action.row) { Row() }
///
/// func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
///   switch action {
///   case .row(let id, let action): return rows.reduce(&state, id, action)
///   case .add(let title): state.rows.append(Row.State(title))
///   case .delete(let id): state.rows[id: id] = nil
///   ...
/// ```
///
/// A child exists while its element does: it ends, with its effects, in the step that removes the
/// element. Declare the children with `let`; the composer that owns them finds them among its
/// properties. Only the children whose elements have changed are asked for their state effects, which
/// must therefore depend on their state alone. When rows have neither state effects nor children of
/// their own, and are made without their ids, each but the first is created by its first action.
///
/// What ``Child`` says of a child holds for each of them.
public final class Children<State: Sendable, Action: Sendable, ID, Embedded: Composer>:
  ChildDeclaration<State, Action>
where ID: Hashable & Sendable {
  @usableFromInline typealias Node = EmbeddedChild<State, Action, Embedded>

  // Accessed where the composer reduces. During an access only the `hash(into:)` and `==` of the ids are
  // called.
  @exclusivity(unchecked) @usableFromInline var nodes: [ID: Node] = [:]
  @exclusivity(unchecked) @usableFromInline var replaced = ReplacedChildren<ID, Node>()
  /// The children that were created by an action since the last update.
  @exclusivity(unchecked) @usableFromInline var created: [ID] = []
  @exclusivity(unchecked) @usableFromInline var asked = AskedElements<ID>()
  /// Whether the children have neither state effects nor children, so that rows have nothing to do
  /// before their first action; nil before the first child.
  @exclusivity(unchecked) @usableFromInline var arePlain: Bool?
  /// The children whose shared parts have not been their shared values.
  @usableFromInline var adopting: [ID] = []
  @usableFromInline let part: (ID) -> StatePart<State, Embedded.State>
  /// The number of the children that a state has.
  @usableFromInline let elementCount: (State) -> Int
  /// Calls the closure with the state of one child and, for a screen, its push; returns false, without
  /// a call, when it has none.
  @usableFromInline let modify:
    (inout State, ID, (inout Embedded.State, ElementVersion?) -> Void) -> Bool
  @usableFromInline let embed: @Sendable (ID, Embedded.Action) -> Action
  @usableFromInline let onDismiss: (@Sendable (ID, Embedded.State) -> Action)?
  @usableFromInline let make: (ID) -> Embedded
  /// Whether the composers are made without their ids, and are thus of one type.
  @usableFromInline let isOfOneType: Bool

  @inlinable init(
    update: @escaping (Children, State, StateEffectStarter) -> Void,
    mustAdopt: @escaping (Children, State) -> [ID],
    part: @escaping (ID) -> StatePart<State, Embedded.State>,
    elementCount: @escaping (State) -> Int,
    modify: @escaping (inout State, ID, (inout Embedded.State, ElementVersion?) -> Void) -> Bool,
    _ embed: @escaping @Sendable (ID, Embedded.Action) -> Action,
    onDismiss: (@Sendable (ID, Embedded.State) -> Action)?, isOfOneType: Bool,
    _ make: @escaping (ID) -> Embedded
  ) {
    self.isOfOneType = isOfOneType
    self.part = part
    self.elementCount = elementCount
    self.modify = modify
    self.embed = embed
    self.onDismiss = onDismiss
    self.make = make
    super.init(
      of: Embedded.State.self,
      update: { update(unsafeDowncast($0, to: Children.self), $1, $2) },
      mustAdopt: {
        let children = unsafeDowncast($0, to: Children.self)
        children.adopting = mustAdopt(children, $1)
        return !children.adopting.isEmpty
      },
      adopt: { unsafeDowncast($0, to: Children.self).adopt(&$1, $2) },
      end: { unsafeDowncast($0, to: Children.self).end() })
  }

  deinit { end() }

  override func summary(in state: State) -> ChildSummary? {
    ChildSummary(
      name: "\(Embedded.self)", isMany: true, liveCount: elementCount(state), children: [])
  }

  // MARK: Declaring

  /// One child for each element.
  ///
  /// - Parameters:
  ///   - path: the elements, which are the states of the children.
  ///   - embed: converts an action of the child of an id to one of this composer: the case of `Action`
  ///     itself.
  ///   - onDismiss: returns, for the id and the last state, the action that is reduced in the step of a
  ///     child's `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child of an id.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, IdentifiedArray<Embedded.State>> & Sendable,
    _ embed: @escaping @Sendable (ID, Embedded.Action) -> Action,
    onDismiss: (@Sendable (ID, Embedded.State) -> Action)? = nil, _ make: @escaping (ID) -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID == ID {
    self.init(path, embed, onDismiss: onDismiss, isOfOneType: false, make)
  }

  @inlinable convenience init(
    _ path: any WritableKeyPath<State, IdentifiedArray<Embedded.State>> & Sendable,
    _ embed: @escaping @Sendable (ID, Embedded.Action) -> Action,
    onDismiss: (@Sendable (ID, Embedded.State) -> Action)?, isOfOneType: Bool,
    _ make: @escaping (ID) -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID == ID {
    self.init(
      update: { children, state, start in
        children.update(state[keyPath: path], { $0 }, { _ in nil }, start)
      },
      mustAdopt: { children, state in
        children.mustAdopt(state[keyPath: path], { $0 }, { _ in nil })
      },
      part: { id in
        StatePart(
          read: { $0[keyPath: path][id: id] },
          modify: { state, body in modifyPresent(&state[keyPath: path][id: id], body) },
          remove: { $0[keyPath: path][id: id] = nil })
      },
      elementCount: { $0[keyPath: path].count },
      modify: { state, id, body in
        modifyPresent(&state[keyPath: path][id: id]) { body(&$0, nil) }
      },
      embed, onDismiss: onDismiss, isOfOneType: isOfOneType, make)
  }

  /// One child for each element.
  ///
  /// - Parameters:
  ///   - path: the elements, which are the states of the children.
  ///   - embed: converts an action of the child of an id to one of this composer: the case of `Action`
  ///     itself.
  ///   - onDismiss: returns, for the id and the last state, the action that is reduced in the step of a
  ///     child's `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates a child.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, IdentifiedArray<Embedded.State>> & Sendable,
    _ embed: @escaping @Sendable (ID, Embedded.Action) -> Action,
    onDismiss: (@Sendable (ID, Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) where Embedded.State: Identifiable, Embedded.State.ID == ID {
    self.init(path, embed, onDismiss: onDismiss, isOfOneType: true) { _ in make() }
  }

  /// One child for each screen of a stack.
  ///
  /// A screen that dismisses itself is popped with the screens above it.
  ///
  /// - Parameters:
  ///   - path: the stack, whose screens are the states of the children.
  ///   - embed: converts an action of the screen with an id to one of this composer: the case of
  ///     `Action` itself.
  ///   - onDismiss: returns, for the id and the last state, the action that is reduced in the step of a
  ///     child's `.dismiss`, after the removal: a case of `Action`. Nil, the default, for none.
  ///   - make: creates the child of a screen.
  @inlinable public convenience init(
    _ path: any WritableKeyPath<State, ScreenStack<Embedded.State>> & Sendable,
    _ embed: @escaping @Sendable (ID, Embedded.Action) -> Action,
    onDismiss: (@Sendable (ID, Embedded.State) -> Action)? = nil, _ make: @escaping () -> Embedded
  ) where ID == Int {
    self.init(
      update: { children, state, start in
        children.update(state[keyPath: path].elements, { $0.screen }, { $0.push }, start)
      },
      mustAdopt: { children, state in
        children.mustAdopt(state[keyPath: path].elements, { $0.screen }, { $0.push })
      },
      part: { id in
        StatePart(
          read: { $0[keyPath: path][id: id] },
          modify: { state, body in state[keyPath: path].modify(id) { screen, _ in body(&screen) } },
          remove: { $0[keyPath: path].pop(from: id) })
      },
      elementCount: { $0[keyPath: path].elements.count },
      modify: { state, id, body in state[keyPath: path].modify(id, body) },
      embed, onDismiss: onDismiss, isOfOneType: true, { _ in make() })
  }

  // MARK: Reducing

  /// Reduces an action of the child with this id, and returns the effect to return from this
  /// composer's reducer.
  ///
  /// When there is no state with this id, the action is dropped and a problem is reported to
  /// ``ComposeHooks``.
  @inlinable public func reduce(_ state: inout State, _ id: ID, _ action: Embedded.Action)
    -> Observable<Effect<Action>>
  {
    if !isFound { reportNotFound("\(Embedded.self)") }
    var effect = Observable<Effect<Action>>.none
    let isPresent = modify(&state, id) { part, push in
      effect = node(id, push).reduce(&part, action)
    }
    if !isPresent {
      let child = "\(Embedded.self)"
      ComposeHooks.reportAfterStep { .childIsAbsent(child: "\(child) \(id)", action: "\(action)") }
    }
    return effect
  }

  // MARK: The children

  /// Returns the child with this id, which replaces that of another push.
  @inlinable func node(_ id: ID, _ push: ElementVersion?) -> Node {
    let before = nodes[id]
    if let before, before.push == push { return before }
    return replace(before, id, push)
  }

  @inlinable func replace(_ before: Node?, _ id: ID, _ push: ElementVersion?) -> Node {
    // A declaration that is not found is not updated, and would keep them for ever.
    if isFound, let before { replaced.append(before, id) }
    let node = replaced.remove(id) { $0.push == push } ?? makeNode(id, push)
    nodes[id] = node
    if isFound { created.append(id) }
    return node
  }

  @inlinable func makeNode(_ id: ID, _ push: ElementVersion?) -> Node {
    let onDismiss = onDismiss.map { onDismiss in
      { @Sendable (last: Embedded.State) in onDismiss(id, last) }
    }
    let node = Node(make(id), part(id), onDismiss: onDismiss) { [embed] in embed(id, $0) }
    node.push = push
    return node
  }

  @inlinable func update<Element: Identifiable>(
    _ elements: IdentifiedArray<Element>, _ state: (Element) -> Embedded.State,
    _ push: (Element) -> ElementVersion?, _ start: StateEffectStarter
  ) where Element.ID == ID {
    let (changed, missing) = asked.update(elements)
    for id in missing where !elements.contains(id: id) { end(id) }
    for id in created where !elements.contains(id: id) { end(id) }
    let ended = replaced.removeAll()
    for node in ended { node.end() }
    for element in changed {
      let push = push(element)
      if arePlain == true, push == nil { continue }
      let node = node(element.id, push)
      if !replaced.isEmpty { for node in replaced.removeAll() { node.end() } }
      update(node, state(element), start)
    }
    created = []
  }

  @inlinable func update(_ node: Node, _ state: Embedded.State, _ start: StateEffectStarter) {
    if arePlain != nil { return node.update(state, start) }
    let haveDefault = DefaultStateEffects.areReturned(by: node.composer) {
      node.update(state, start)
    }
    arePlain = haveDefault && isPlainType(node)
  }

  /// Whether the children are of one type, which has no children.
  ///
  /// Those that are made for their ids may be of subclasses, which may have children.
  @inlinable func isPlainType(_ node: Node) -> Bool {
    isOfOneType && type(of: node.composer) == Embedded.self && declaresNoChildren(Embedded.self)
  }

  /// Returns the changed children whose shared parts have not been their shared values.
  @inlinable func mustAdopt<Element: Identifiable>(
    _ elements: IdentifiedArray<Element>, _ state: (Element) -> Embedded.State,
    _ push: (Element) -> ElementVersion?
  ) -> [ID] where Element.ID == ID {
    // A copy: the update after the step asks for the same changes.
    var asked = asked
    var found: [ID] = []
    for element in asked.update(elements).changed {
      let node = node(element.id, push(element))
      if isPlainType(node) {
        mayShare = false
        return []
      }
      if node.mustAdopt(state(element)) { found.append(element.id) }
    }
    return found
  }

  @inlinable func adopt(_ state: inout State, _ recorded: State?) {
    for id in adopting {
      let recorded = recorded.flatMap(part(id).read)
      _ = modify(&state, id) { part, push in node(id, push).adopt(&part, recorded) }
    }
    adopting = []
  }

  @inlinable func end(_ id: ID) { nodes.removeValue(forKey: id)?.end() }

  @usableFromInline func end() {
    let ids = asked.removeAll() + created
    created = []
    let ended = replaced.removeAll()
    for id in ids { end(id) }
    for node in ended { node.end() }
  }
}
