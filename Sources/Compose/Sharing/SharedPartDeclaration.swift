/// A shared part of a composer's state, among its children: updated after each step like them.
final class SharedPartDeclaration<State: Sendable, Action: Sendable>: ChildDeclaration<
  State, Action
>
{
  let part: SharedPart<State>
  var isIgnored = false
  private var lifetime: Lifetime?

  init(_ part: SharedPart<State>) {
    self.part = part
    super.init(
      of: State.self,
      update: { unsafeDowncast($0, to: SharedPartDeclaration.self).update($1, $2) },
      mustAdopt: { _, _ in false }, adopt: { _, _, _ in },
      end: { unsafeDowncast($0, to: SharedPartDeclaration.self).lifetime?.dispose() })
    mayShare = false
  }

  private func update(_ state: State, _ start: StateEffectStarter) {
    guard !isIgnored, let store = EffectContext.reducingStore, !store.isStubbed else { return }
    if lifetime == nil {
      let effect = StateEffect<Action>(declaredID: ObjectIdentifier(part), isTraced: false) {
        [part] in part.changes(in: store)
      }
      lifetime = start(effect)
    }
    if part.differs(state) {
      part.subscription?.markStale()
      store.catchUpLater()
    }
  }
}

/// The shared parts of a composer that is not bound, and of its children.
package struct SharedParts<C: Composer> {
  private let parts: [SharedPart<C.State>]
  private let children: [ChildDeclaration<C.State, C.Action>]

  package init(of composer: C) {
    children = declaredChildren(of: composer)
    parts = findSharedParts(among: children) ?? []
  }

  /// Sets the parts of a first state to their shared values, as when the composer is bound.
  package func adopt(_ state: inout C.State) {
    for part in parts { part.adopt(&state) }
    adoptInNewChildren(&state, nil)
  }

  /// Sets the parts of children that are new in `state` to those of a recorded state.
  package func adoptInNewChildren(_ state: inout C.State, _ recorded: C.State?) {
    for child in children { child.adoptInNewChildren(&state, recorded) }
  }
}
