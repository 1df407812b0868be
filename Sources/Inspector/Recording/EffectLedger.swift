#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The effects of a composer that run, and the last ones that have ended.
struct EffectLedger: Sendable {
  /// An effect as far as its events were recorded.
  struct Effect: Sendable, Equatable {
    let number: Int
    let name: EffectName
    let origin: EffectOrigin
    /// The number of the event of its start.
    let event: Int
    let started: Date
    /// The number of the steps whose action it has sent.
    var emissionCount = 0
    var end: End?

    struct End: Sendable, Equatable {
      let time: Date
      let end: EffectEnd

      var outcome: EffectOutcome { end.outcome }
    }
  }

  private(set) var running: [Int: Effect] = [:]
  private(set) var ended = Fifo<Effect>()

  /// Updates the effects by an event with this number.
  ///
  /// - Parameter endedLimit: the most effects that have ended and are kept.
  mutating func note(_ event: ProgramEvent, _ number: Int, _ time: Date, endedLimit: Int) {
    switch event {
    case .step(let step):
      if case .effect(let effect) = step.source { running[effect]?.emissionCount += 1 }
    case .effect(.started(let effect, let origin, let name)):
      running[effect] = Effect(
        number: effect, name: name, origin: origin, event: number, started: time)
    case .effect(.ended(let effect, let end, _)):
      guard var effect = running.removeValue(forKey: effect) else { return }
      effect.end = Effect.End(time: time, end: end)
      ended.append(effect)
      while ended.count > endedLimit { _ = ended.popFirst() }
    case .socket: break
    }
  }

  /// The effect with this number; nil when it is not known.
  subscript(number: Int) -> Effect? {
    running[number] ?? (0..<ended.count).lazy.map { ended[$0] }.last { $0.number == number }
  }
}
