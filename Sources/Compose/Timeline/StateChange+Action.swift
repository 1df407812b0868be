extension StateChange {
  /// The action that is reduced after this change of `state`, in the same step; nil for none.
  package func action<Action>(following state: any Sendable) -> Action? {
    followingAction(state)
  }
}
