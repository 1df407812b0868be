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
  enum Content {
    case effect(() -> Observable<Effect<Action>>)
    /// The effects of some children: the same ones as long as the id is the same.
    case group(() -> [StateEffect])
  }

  // `init` requires the id to be Sendable.
  let id: AnyHashable
  let content: Content

  /// A state effect.
  ///
  /// - Parameters:
  ///   - id: identity of the effect among the composer's state effects.
  ///   - effect: creates the effect; called when the effect starts.
  public init(id: some Hashable & Sendable, _ effect: @escaping () -> Observable<Effect<Action>>) {
    self.init(id: AnyHashable(id), .effect(effect))
  }

  init(id: AnyHashable, _ content: Content) { (self.id, self.content) = (id, content) }

  /// The effects of a group, or this one alone.
  var effects: [StateEffect] {
    switch content {
    case .effect: [self]
    case .group(let effects): effects().flatMap(\.effects)
    }
  }

  /// Creates the effect; a group creates none.
  func makeEffect() -> Observable<Effect<Action>> {
    if case .effect(let make) = content { make() } else { .none }
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
    let content: StateEffect<Parent>.Content =
      switch content {
      case .effect(let make):
        .effect {
          let context = EffectContext.ambient?.embedded(owner: child, identity: child.action)
          return (context?.run(make) ?? make()).embedded(in: child, embed)
        }
      case .group(let effects): .group { effects().map { $0.embedded(in: child, embed) } }
      }
    return StateEffect<Parent>(id: AnyHashable(EffectKey(owner: child.action, id: id)), content)
  }
}
