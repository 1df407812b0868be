#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One event of a composer's trace: a step, or the start or end of an effect.
public struct TraceEvent<State: Sendable, Action: Sendable>: Sendable, CustomStringConvertible {
  /// The kind of an event, with its data.
  public enum Kind: Sendable {
    /// Actions were reduced and the state was published.
    case step(ComposerStep<State, Action>)
    /// An effect was started. Effects are numbered from 1. The id is that of
    /// `cancellable(id:)` or `latest(id:)`; nil for an effect without one.
    case started(effect: Int, EffectOrigin, id: String? = nil)
    /// The effect with this number has ended.
    case ended(effect: Int, EffectOutcome)
  }

  /// The time by the composer's clock.
  public let time: Date
  /// The kind of the event, with its data.
  public let kind: Kind

  package init(time: Date, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The step; nil for events of effects.
  public var step: ComposerStep<State, Action>? {
    if case .step(let step) = kind { step } else { nil }
  }

  /// One line: `step 2 by effect(1): tick → State(count: 1)`, `effect 1 started by step(1)`,
  /// `effect 2 (search) started by step(3)`, `effect 1 ended: completed`.
  ///
  /// A collection of more than 10 elements is shortened to the first three and the number of the others.
  public var description: String { description(after: nil) }

  /// The same line; with a state before the step, it has the step's changes in place of the whole
  /// state.
  func description(after before: State?) -> String { text(after: before).withoutAddresses }

  private func text(after before: State?) -> String {
    switch kind {
    case .started(let effect, let origin, let id):
      return "effect \(effect)" + (id.map { " (\($0))" } ?? "") + " started by \(origin)"
    case .ended(let effect, let outcome): return "effect \(effect) ended: \(outcome)"
    case .step(let step):
      let actions = ([step.change].compactMap(\.self) + step.actions.map { shortText($0) })
        .joined(separator: ", ")
      let state = before.map { changes(from: $0, to: step.state).map { "; " + $0 }.joined() }
      return "step \(step.number) by \(step.source.text): \(actions)"
        + (state ?? " → \(shortText(step.state))")
    }
  }
}

extension TraceEvent: Codable where State: Codable, Action: Codable {}
extension TraceEvent.Kind: Codable where State: Codable, Action: Codable {}

extension ActionSource {
  /// `outside`, `step(2)`, `effect(1)`, `shared(Search, step 3)`.
  fileprivate var text: String {
    switch self {
    case .shared(let writer, let step?): "shared(\(writer), step \(step))"
    case .shared(let writer, nil): "shared(\(writer))"
    case .outside, .step, .effect: "\(self)"
    }
  }
}
