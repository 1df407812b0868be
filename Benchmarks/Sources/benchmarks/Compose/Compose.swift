extension Workload {
  /// Action, reducer, state, effect.
  static let compose = accepting + waking + composing + rows
}
