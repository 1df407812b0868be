/// A declaration of a shared part of the state, in a property of a composer: ``Shared``.
///
/// Accessed only where the composer reduces.
public class SharedDeclaration<State: Sendable> {
  init() {}

  /// Sets the part of the first state to the shared value.
  @usableFromInline func adopt(_ state: inout State) {}

  /// Writes the part of a published state to the shared value, if it has changed.
  ///
  /// The first call without ``adopt(_:)`` only notes the part.
  func publish(_ state: State, by writer: () -> SharedValueWriter) {}

  /// The changes that others have written, beginning with the current value.
  func changes<Action>(of action: Action.Type) -> Observable<Effect<Action>> { .empty() }
}

/// A shared part of a composer's state, among its children: updated after each step like them.
final class SharedPart<State: Sendable, Action: Sendable>: ChildDeclaration<State, Action> {
  let declaration: SharedDeclaration<State>
  private var subscription: Lifetime?

  init(_ declaration: SharedDeclaration<State>) {
    self.declaration = declaration
    super.init(
      update: { unsafeDowncast($0, to: SharedPart.self).update($1, $2) },
      end: { unsafeDowncast($0, to: SharedPart.self).subscription?.dispose() })
    isFound = true
  }

  private func update(_ state: State, _ start: StateEffectStarter) {
    guard let store = EffectContext.reducingStore, !store.isStubbed else { return }
    declaration.publish(state) { SharedValueWriter(name: store.name, step: store.stepNumber) }
    if subscription != nil { return }
    subscription = start(
      StateEffect(declaredID: ObjectIdentifier(declaration), isTraced: false) { [declaration] in
        declaration.changes(of: Action.self)
      })
  }
}

/// Returns the shared parts among `children`; nil for none.
@usableFromInline func sharedDeclarations<State, Action>(
  among children: [ChildDeclaration<State, Action>]
)
  -> [SharedDeclaration<State>]?
{
  let parts = children.compactMap { ($0 as? SharedPart<State, Action>)?.declaration }
  return parts.isEmpty ? nil : parts
}

/// Sets the parts of `state` that `composer` shares to their shared values, as when it is bound.
package func adoptSharedValues<C: Composer>(of composer: C, _ state: inout C.State) {
  for case let part as SharedDeclaration<C.State> in storedProperties(of: composer) {
    part.adopt(&state)
  }
}
