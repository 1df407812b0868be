import Compose

extension Timeline {
  /// The step of that number, the step it was caused by, and so on back to what came from outside.
  ///
  /// A cause that is not among the entries ends the list, which is empty when the step itself is not.
  /// What an effect of ``Composer/subscriptions(_:)`` sends was caused by the step before its start.
  public func causes(of number: Int) -> [Step<State, Action>] {
    var causes: [Step<State, Action>] = []
    // Nil is whatever step comes next.
    var wanted: ActionSource? = .step(number)
    for entry in entries.reversed() {
      switch entry.kind {
      case .step(let step) where wanted == nil || wanted == .step(step.number):
        causes.append(step)
        wanted = step.source
      case .started(let effect, .subscription) where wanted == .effect(effect): wanted = nil
      case .started(let effect, .step(let step)) where wanted == .effect(effect),
        .started(let effect, .middleware(let step)) where wanted == .effect(effect):
        wanted = .step(step)
      default: break
      }
    }
    return causes
  }
}
