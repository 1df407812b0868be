import Compose

extension Timeline {
  /// The step with this number, the step that caused it, and so on back to an action from outside.
  ///
  /// The list ends early when a cause is not among the entries. It is empty when the step itself is
  /// not. The cause of an action of a state effect is the step before the start of the effect.
  public func causes(of number: Int) -> [ComposerStep<State, Action>] {
    var causes: [ComposerStep<State, Action>] = []
    // Nil accepts any step.
    var wanted: ActionSource? = .step(number)
    for entry in entries.reversed() {
      switch entry.kind {
      case .step(let step) where wanted == nil || wanted == .step(step.number):
        causes.append(step)
        wanted = step.source
      case .started(let effect, .stateEffect, _) where wanted == .effect(effect): wanted = nil
      case .started(let effect, .step(let step), _) where wanted == .effect(effect),
        .started(let effect, .middleware(let step), _) where wanted == .effect(effect):
        wanted = .step(step)
      default: break
      }
    }
    return causes
  }
}
