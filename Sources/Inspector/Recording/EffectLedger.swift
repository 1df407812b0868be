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
  private(set) var ended: [Int: Effect] = [:]
  /// The numbers of those that have ended, in the order of their ends.
  private var ends = Fifo<Int>()

  /// Updates the effects by an event with this number.
  ///
  /// - Parameter endedLimit: the most effects that have ended and are kept.
  mutating func note(_ event: ProgramEvent, _ number: Int, _ time: Date, endedLimit: Int) {
    switch event {
    case .step(let step):
      guard case .effect(let effect) = step.source else { return }
      if running[effect] != nil {
        running[effect]?.emissionCount += 1
      } else {
        // The step of an action may follow the end of its effect.
        ended[effect]?.emissionCount += 1
      }
    case .effect(.started(let effect, let origin, let name)):
      running[effect] = Effect(
        number: effect, name: name, origin: origin, event: number, started: time)
    case .effect(.ended(let effect, let end, _)):
      guard var effect = running.removeValue(forKey: effect) else { return }
      effect.end = Effect.End(time: time, end: end)
      ended[effect.number] = effect
      ends.append(effect.number)
      while ended.count > endedLimit, let oldest = ends.popFirst() { ended[oldest] = nil }
    case .socket: break
    }
  }

  /// The effect with this number; nil when it is not known.
  subscript(number: Int) -> Effect? {
    running[number] ?? ended[number]
  }
}
