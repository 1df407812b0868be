/// A child, or the children, that a composer has declared in one of its properties: ``Child`` and
/// ``Children``.
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

  @inlinable init(
    update: @escaping (ChildDeclaration, State, StateEffectStarter) -> Void,
    end: @escaping (ChildDeclaration) -> Void
  ) {
    updateChildren = update
    endChildren = end
  }
}

private protocol DeclaredChild {}

/// The storage of a `lazy` property.
private protocol LazyChild {}

extension ChildDeclaration: DeclaredChild {}
extension Optional: LazyChild where Wrapped: DeclaredChild {}

/// The composers' types whose properties declare no children.
private let typesWithoutChildren = Locked<Set<ObjectIdentifier>>([])

/// Returns the children that the properties of `composer` declare, in the order of the properties.
///
/// They are found by reflection: once for a type without children, otherwise once for each composer.
@usableFromInline func declaredChildren<C: Composer>(of composer: C)
  -> [ChildDeclaration<C.State, C.Action>]
{
  let type = ObjectIdentifier(Swift.type(of: composer))
  if typesWithoutChildren.withLock({ $0.contains(type) }) { return [] }
  var declared: [ChildDeclaration<C.State, C.Action>] = []
  var hasLazyChild = false
  var mirror: Mirror? = Mirror(reflecting: composer)
  while let current = mirror {
    var ofClass: [ChildDeclaration<C.State, C.Action>] = []
    for (label, value) in current.children {
      if let child = value as? ChildDeclaration<C.State, C.Action> {
        ofClass.append(child)
      } else if value is any LazyChild {
        hasLazyChild = true
        ComposeHooks.report(
          .childIsLazy(
            property: (label ?? "").replacing("$__lazy_storage_$_", with: ""), composer: "\(C.self)"
          ))
      }
    }
    declared = ofClass + declared
    mirror = current.superclassMirror
  }
  if declared.isEmpty, !hasLazyChild { typesWithoutChildren.withLock { _ = $0.insert(type) } }
  return declared
}
