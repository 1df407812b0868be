/// Decides between an effect that starts and running effects of the same id.
public enum EffectConflictPolicy: Sendable {
  /// All of them run.
  case together
  /// The running effects are cancelled, and the new one starts.
  case replace
  /// The running effects continue, and the new one completes without running.
  case ignore
}
