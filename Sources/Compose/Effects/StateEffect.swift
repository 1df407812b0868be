/// An effect that runs while the state holds; ``Composer/stateEffects(_:)`` returns it.
///
/// ```swift
/// func stateEffects(_ state: State) -> [StateEffect<Action>] {
///   if let room = state.room {
///     StateEffect(id: room) { .socket(WebSocket(room.url)) { .received($0) } }
///   }
///   if state.isShown {
///     StateEffect(id: "poll") { .interval(.send(.poll), period: .seconds(5)) }
///   }
/// }
/// ```
///
/// While its id stays the same, the running effect continues. Put every value that the effect
/// depends on into the id.
public struct StateEffect<Action: Sendable> {
  // `init` requires the id to be Sendable.
  @usableFromInline let id: AnyHashable
  @usableFromInline let effect: () -> Observable<Effect<Action>>

  /// A state effect.
  ///
  /// - Parameters:
  ///   - id: identity of the effect among the composer's state effects.
  ///   - effect: creates the effect; called when the effect starts.
  public init(id: some Hashable & Sendable, _ effect: @escaping () -> Observable<Effect<Action>>) {
    self.id = AnyHashable(id)
    self.effect = effect
  }

  /// The id that the composer or its child has declared.
  var declaredID: AnyHashable {
    var id = id
    while let key = id.base as? EffectKey { id = key.id }
    return id
  }

  /// This effect of a child as an effect of the parent, which sends the parent's actions.
  func embedded<Parent>(in child: some Composer, _ embed: @escaping @Sendable (Action) -> Parent)
    -> StateEffect<Parent>
  {
    StateEffect<Parent>(id: EffectKey(owner: child.action, id: id)) { [effect] in
      let context = EffectContext.ambient?.embedded(owner: child, identity: child.action)
      return (context?.run(effect) ?? effect()).embedded(in: child, embed)
    }
  }
}
