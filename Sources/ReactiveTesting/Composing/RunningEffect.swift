import Compose
import Foundation

/// A running effect, with the cause and the time of its start.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// The number of the effect among the composer's effects, starting at 1.
  public let number: Int
  /// The cause of its start.
  public let origin: EffectOrigin
  /// The id of `cancellable(id:)` or `latest(id:)`; nil for an effect without one.
  public let id: String?
  /// The actions of the step that started it: one action, or those of a group.
  ///
  /// Empty for a state effect, for the effect of a failure, and when other steps were made before
  /// the start.
  public let actions: [Action]
  /// The time of its start, in seconds of virtual time.
  public let since: TimeInterval
}

extension RunningEffect: CustomStringConvertible {
  /// `effect 1 of query("x") (step 1), running since 0 s`, and `effect 2 (search) of ...` with an id.
  public var description: String {
    let step =
      switch origin {
      case .step(let step), .middleware(let step): " (step \(step))"
      case .stateEffect, .failure: ""
      }
    return "\(name)\(step), running since \(seconds(since))"
  }

  /// Its number and the cause of its start: `effect 1 of query("x")`.
  var name: String {
    let name = "effect \(number)" + (id.map { " (\($0))" } ?? "")
    return switch origin {
    case .step: "\(name) of \(named(actions))"
    case .middleware: "\(name) of a middleware after \(named(actions))"
    case .stateEffect(let id): "effect \(number) (state effect \(id))"
    case .failure(let effect): "\(name) of the failure of effect \(effect)"
    }
  }
}
