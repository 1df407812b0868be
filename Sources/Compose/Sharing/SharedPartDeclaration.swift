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
      update: { unsafeDowncast($0, to: SharedPartDeclaration.self).update($1, $2) },
      end: { unsafeDowncast($0, to: SharedPartDeclaration.self).lifetime?.dispose() })
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

/// Sets the parts of `state` that `composer` shares to their shared values, as when it is bound.
package func adoptSharedValues<C: Composer>(of composer: C, _ state: inout C.State) {
  for case let sharing as Sharing<C.State> in storedProperties(of: composer) {
    sharing.part.adopt(&state)
  }
}
