/// Builds the list that ``Composer/stateEffects(_:)`` returns from statements with `if`, `switch`
/// and `for`.
@resultBuilder public enum StateEffectsBuilder<Action: Sendable> {
  /// A list of effects in the order of the statements.
  public typealias Effects = [StateEffect<Action>]

  /// One effect as a list.
  public static func buildExpression(_ effect: StateEffect<Action>) -> Effects { [effect] }
  /// A list of effects, such as those of a child.
  public static func buildExpression(_ effects: Effects) -> Effects { effects }
  /// Joins the lists of several statements.
  public static func buildBlock(_ effects: Effects...) -> Effects { buildArray(effects) }
  /// The effects of an `if`; empty when its condition is false.
  public static func buildOptional(_ effects: Effects?) -> Effects { effects ?? [] }
  /// The effects of the first branch of an `if` or a `switch`.
  public static func buildEither(first effects: Effects) -> Effects { effects }
  /// The effects of another branch of an `if` or a `switch`.
  public static func buildEither(second effects: Effects) -> Effects { effects }
  /// Joins the lists of a loop.
  public static func buildArray(_ effects: [Effects]) -> Effects { Array(effects.joined()) }
}
