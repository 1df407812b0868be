/// How an effect has ended, and what has ended it.
struct EffectEnd: Sendable, Equatable {
  let outcome: EffectOutcome
  /// The number of the step that has cancelled it; nil for another end.
  var step: Int?

  /// The end of `effect`.
  ///
  /// An effect that sends one action and then completes has completed with that action, also when the
  /// step of the action disposes of it before its completion is delivered.
  func known(of effect: EffectLedger.Effect) -> EffectEnd {
    guard outcome == .cancelled, effect.emissionCount > 0 else { return self }
    return switch effect.name.kind {
    case .request, .delay: EffectEnd(outcome: .completed)
    default: self
    }
  }
}
