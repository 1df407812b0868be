/// A child, or the children, that a composer has declared in one of its properties: ``Child`` and
/// ``Children``.
///
/// A ``Sharing`` is updated like one.
public class ChildDeclaration<State: Sendable, Action: Sendable> {
  /// Starts a state effect, and returns its lifetime.
  @usableFromInline typealias StateEffectStarter = (StateEffect<Action>) -> Lifetime

  /// Ends the children whose states are gone, and updates the state effects of the others.
  ///
  /// A closure of the subclass, which receives its object: unlike a method that is overridden, the
  /// compiler specialises it.
  @usableFromInline
  final let updateChildren: (ChildDeclaration, State, StateEffectStarter) -> Void
  /// Ends all children.
  @usableFromInline final let endChildren: (ChildDeclaration) -> Void
  /// Whether a child of the state has shared parts that have not been its shared values.
  @usableFromInline
  final let mustAdopt: (ChildDeclaration, _ state: State) -> Bool
  /// Sets those parts to their shared values, or to those of another state: a recorded one.
  @usableFromInline
  final let adopt: (ChildDeclaration, _ state: inout State, _ recorded: State?) -> Void
  /// The type of the children's states.
  final let stateType: Any.Type
  /// Whether the children may have shared parts; true while there was none.
  @exclusivity(unchecked) @usableFromInline final var mayShare = true
  /// Whether a composer has found this declaration, whose children it updates after each step.
  ///
  /// Accessed only where the composer reduces.
  @exclusivity(unchecked) @usableFromInline final var isFound = false
  private final var isReported = false

  @usableFromInline init(
    of stateType: Any.Type,
    update: @escaping (ChildDeclaration, State, StateEffectStarter) -> Void,
    mustAdopt: @escaping (ChildDeclaration, State) -> Bool,
    adopt: @escaping (ChildDeclaration, inout State, State?) -> Void,
    end: @escaping (ChildDeclaration) -> Void
  ) {
    self.stateType = stateType
    updateChildren = update
    self.mustAdopt = mustAdopt
    self.adopt = adopt
    endChildren = end
  }

  /// Sets the shared parts of children that are new in `state` to their shared values, or to those of a
  /// recorded state; returns whether there were any.
  @discardableResult @usableFromInline
  final func adoptInNewChildren(_ state: inout State, _ recorded: State?) -> Bool {
    guard mayShare, mustAdopt(self, state) else { return false }
    adopt(self, &state, recorded)
    return true
  }

  /// The children in `state`, for a tool; nil for a declaration that is not of children.
  ///
  /// Called where the composer reduces.
  func summary(in state: State) -> ChildSummary? { nil }

  /// Reports, once, that a bound composer reduces a child that it has not found.
  @usableFromInline final func reportNotFound(_ child: @autoclosure () -> String) {
    if isReported || !EffectContext.isReducing { return }
    isReported = true
    let child = child()
    ComposeHooks.reportAfterStep { .childIsNotFound(child: child) }
  }
}

/// A declaration that its composer holds.
@usableFromInline struct WeakChild<State: Sendable, Action: Sendable> {
  @usableFromInline private(set) weak var declaration: ChildDeclaration<State, Action>?

  @usableFromInline init(_ declaration: ChildDeclaration<State, Action>) {
    self.declaration = declaration
  }
}

private protocol DeclaredChild {}
private protocol OptionalChild {}

extension ChildDeclaration: DeclaredChild {}
extension Sharing: DeclaredChild {}
extension Optional: OptionalChild where Wrapped: DeclaredChild {}

/// The composers' types whose properties declare no children.
private let typesWithoutChildren = Locked<Set<ObjectIdentifier>>([])

/// Returns the children and the shared parts that the properties of `composer` declare, in the order
/// of the properties.
///
/// They are found by reflection: once for a type without children, otherwise once for each composer.
@usableFromInline func declaredChildren<C: Composer>(of composer: C)
  -> [ChildDeclaration<C.State, C.Action>]
{
  let type = ObjectIdentifier(Swift.type(of: composer))
  if typesWithoutChildren.withLock({ $0.contains(type) }) { return [] }
  let properties = storedProperties(of: composer)
  let declared = properties.compactMap { property in
    property as? ChildDeclaration<C.State, C.Action>
      ?? (property as? Sharing<C.State>)?.declaration(of: C.Action.self)
  }
  for child in declared { child.isFound = true }
  // Another composer of the type may have a child where this one has nil.
  if declared.isEmpty, !properties.contains(where: { $0 is any OptionalChild }) {
    typesWithoutChildren.withLock { _ = $0.insert(type) }
  }
  return declared
}

#if DEBUG
/// Reports a part of the state of `composer` that is ``Shared`` and that no declaration shares, neither its
/// own nor one of its parents.
@usableFromInline func reportSharedWithNobody<C: Composer>(
  _ composer: C.Type, _ state: C.State, _ children: [ChildDeclaration<C.State, C.Action>]
) {
  // A child of the whole state may share it.
  if children.contains(where: { $0.stateType == C.State.self }) { return }
  guard let part = unsharedProperty(of: state) else { return }
  let name = "\(composer)"
  ComposeHooks.reportAfterStep { .sharedWithNobody(composer: name, part: part) }
}
#endif

/// Whether the properties of composers of this type declare no children, as was found for one of them.
@usableFromInline func declaresNoChildren(_ type: any Composer.Type) -> Bool {
  typesWithoutChildren.withLock { $0.contains(ObjectIdentifier(type)) }
}

/// Returns the stored properties of `object`, those of its superclasses first.
func storedProperties(of object: AnyObject) -> [Any] {
  var properties: [Any] = []
  var mirror: Mirror? = Mirror(reflecting: object)
  while let current = mirror {
    properties = current.children.map(\.value) + properties
    mirror = current.superclassMirror
  }
  return properties
}
