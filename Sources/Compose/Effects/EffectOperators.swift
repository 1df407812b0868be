extension Observable where Element: EffectProtocol {
  /// Runs `effects` in sequence: each starts when the previous one has completed.
  ///
  /// ```swift
  /// return .concatenate(state.drafts.map { draft in save(draft) })
  /// ```
  @inlinable public static func concatenate(_ effects: [Observable]) -> Observable {
    .concat(effects)
  }
}

extension Observable {
  /// The same effect with transformed actions, such as an effect of a part as one of the whole.
  ///
  /// ```swift
  /// case .refresh: return library.load().map(Action.library)
  /// ```
  ///
  /// A closure that receives an ``Effect`` makes it the `map` of observables, which transforms the
  /// elements.
  ///
  /// - Parameter transform: returns the action to send in place of an action; most often a case.
  @_disfavoredOverload public func map<Action: Sendable, Other: Sendable>(
    _ transform: @escaping @Sendable (Action) -> Other
  ) -> Observable<Effect<Other>> where Element == Effect<Action> {
    map { (effect: Effect<Action>) -> Effect<Other> in effect.map(transform) }.named(kindNumber)
  }
}
