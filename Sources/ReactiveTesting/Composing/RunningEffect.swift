import Compose
import Foundation

/// A running effect, with the cause and the time of its start.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// The number of the effect among the composer's effects, starting at 1.
  public let number: Int
  /// The cause of its start.
  public let origin: EffectOrigin
  /// The actions of the step that started it: one action, or those of a group.
  ///
  /// Empty for a state effect.
  public let actions: [Action]
  /// The time of its start, in seconds of virtual time.
  public let since: TimeInterval
}

extension RunningEffect: CustomStringConvertible {
  /// `effect 1 of query("x") (step 1), running since 0 s`.
  public var description: String {
    let starter =
      switch origin {
      case .step(let step): " of \(named(actions)) (step \(step))"
      case .middleware(let step): " of a middleware after \(named(actions)) (step \(step))"
      case .stateEffect(let id): " (state effect \(id))"
      case .failure(let effect): " of the failure of effect \(effect)"
      }
    return "effect \(number)\(starter), running since \(seconds(since))"
  }
}
