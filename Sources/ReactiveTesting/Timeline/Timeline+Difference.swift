import Compose
import Foundation

extension Timeline {
  /// Describes the first entry that differs from `other`: its number, its differences, and both
  /// entries.
  ///
  /// Returns nil for equal timelines.
  ///
  /// ```swift
  /// #expect(recorder.timeline.difference(from: expected) == nil)
  /// // entry 3: step.state.count: 1 → 2
  /// // - step 2 by effect(1): tick → State(count: 1)
  /// // + step 2 by effect(1): tick → State(count: 2)
  /// ```
  ///
  /// Times are compared relative to the first entry, with microsecond precision. Equatable actions
  /// and states are compared with `==`, others part by part, and values without parts as text. What
  /// reducers have drawn is not compared.
  ///
  /// When ids or dates differ that only one of the timelines has, the last line says how a reducer gets
  /// them so that a replay has the same ones.
  public func difference(from other: Timeline) -> String? {
    for index in 0..<max(entries.count, other.entries.count) {
      var differences = ["only in one"]
      var advice: String?
      if index < min(entries.count, other.entries.count) {
        let kinds = (other.entries[index].kind.withoutDrawn, entries[index].kind.withoutDrawn)
        differences = changes(from: kinds.0, to: kinds.1)
        advice = adviceOnOwnValues(kinds.0, kinds.1)
        let (old, new) = (other.seconds(to: index), seconds(to: index))
        if abs(old - new) > 0.000_001 { differences.append("time: \(old) → \(new)") }
      }
      if differences.isEmpty { continue }
      let texts = [other, self].map { timeline in
        index < timeline.entries.count ? "\(timeline.entries[index])" : "nothing"
      }
      let list = differences.joined(separator: "; ")
      return "entry \(index + 1): \(list)\n- \(texts[0])\n+ \(texts[1])"
        + (advice.map { "\n" + $0 } ?? "")
    }
    return nil
  }

  private func seconds(to index: Int) -> TimeInterval {
    entries[index].time.timeIntervalSince(entries[0].time)
  }
}

extension TraceEvent.Kind {
  /// The kind without what the reducer has drawn.
  fileprivate var withoutDrawn: Self {
    guard case .step(let step) = self, !step.drawn.isEmpty else { return self }
    return .step(
      ComposerStep(
        number: step.number, source: step.source, actions: step.actions, change: step.change,
        state: step.state))
  }
}
