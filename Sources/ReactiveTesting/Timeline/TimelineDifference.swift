import Compose
import Foundation

extension Timeline {
  /// Where this first differs from `other`, as text: which entry, what is different in it, and both of
  /// it; nil when they are equal.
  ///
  /// ```swift
  /// #expect(recorder.timeline.difference(from: expected) == nil)
  /// // entry 3: step.state.count: 1 → 2
  /// // - step 2 by effect(1): tick → State(count: 1)
  /// // + step 2 by effect(1): tick → State(count: 2)
  /// ```
  ///
  /// Times are compared from the first entry on, to the microsecond; actions and states as they
  /// compare themselves when they are Equatable, otherwise part by part and in the end as text.
  public func difference(from other: Timeline) -> String? {
    for index in 0..<max(entries.count, other.entries.count) {
      var differences = ["only in one"]
      if index < min(entries.count, other.entries.count) {
        differences = changes(from: other.entries[index].kind, to: entries[index].kind)
        let (old, new) = (other.seconds(to: index), seconds(to: index))
        if abs(old - new) > 0.000_001 { differences.append("time: \(old) → \(new)") }
      }
      if differences.isEmpty { continue }
      let texts = [other, self].map { timeline in
        index < timeline.entries.count ? "\(timeline.entries[index])" : "nothing"
      }
      let what = differences.joined(separator: "; ")
      return "entry \(index + 1): \(what)\n- \(texts[0])\n+ \(texts[1])"
    }
    return nil
  }

  private func seconds(to index: Int) -> TimeInterval {
    entries[index].time.timeIntervalSince(entries[0].time)
  }
}
