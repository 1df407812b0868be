/// An effect that lives exactly as long as the state asks for it.
///
/// ```swift
/// func subscriptions(_ state: State) -> [LiveEffect<Action>] {
///   if let room = state.room {
///     LiveEffect(id: room) { .run(WebSocket.connect(to: room.url).messages.map(Action.received)) }
///   }
///   if state.isShown {
///     LiveEffect(id: "poll") { .interval(.send(.poll), period: .seconds(5)) }
///   }
/// }
/// ```
///
/// What the effect depends on belongs into its id: while the id stays, the effect that runs is kept.
public struct LiveEffect<Action: Sendable> {
  // Sendable where it is given.
  @usableFromInline let id: AnyHashable
  @usableFromInline let effect: () -> Observable<Effect<Action>>

  /// An effect of this id; `effect` makes it when it is started.
  public init(id: some Hashable & Sendable, _ effect: @escaping () -> Observable<Effect<Action>>) {
    (self.id, self.effect) = (AnyHashable(id), effect)
  }

  /// The effect of a child, whose actions become its parent's.
  func embedded<Parent>(in child: some Composer, _ embed: @escaping @Sendable (Action) -> Parent)
    -> LiveEffect<Parent>
  {
    LiveEffect<Parent>(id: EffectSlot.Key(owner: child.action, id: id)) { [effect] in
      let context = EffectContext.here?.embedding(child, child.action)
      return (context?.run(effect) ?? effect()).embedded(in: child, embed)
    }
  }
}

/// Writes what ``Composer/subscriptions(_:)`` returns as a list with `if`, `switch` and `for`.
@resultBuilder public enum LiveEffects<Action: Sendable> {
  /// Some effects, in their order.
  public typealias Effects = [LiveEffect<Action>]

  /// One effect.
  public static func buildExpression(_ effect: LiveEffect<Action>) -> Effects { [effect] }
  /// Those of a child.
  public static func buildExpression(_ effects: Effects) -> Effects { effects }
  /// All of them.
  public static func buildBlock(_ effects: Effects...) -> Effects { buildArray(effects) }
  /// Those of an `if`.
  public static func buildOptional(_ effects: Effects?) -> Effects { effects ?? [] }
  /// Those of a first case.
  public static func buildEither(first effects: Effects) -> Effects { effects }
  /// Those of another case.
  public static func buildEither(second effects: Effects) -> Effects { effects }
  /// Those of a loop.
  public static func buildArray(_ effects: [Effects]) -> Effects { Array(effects.joined()) }
}
