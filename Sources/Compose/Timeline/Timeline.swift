#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a composer did, as a value: to print, to keep in a file, to replay and to compare.
///
/// ```swift
/// let recorder = TimelineRecorder(composer.trace)
/// composer.action.accept(.start)
/// print(recorder.timeline)
/// // 0.000 step 1 by outside: start → State(count: 0)
/// // 0.000 effect 1 started by step(1)
/// // 1.000 step 2 by effect(1): tick; count: 0 → 1
/// ```
///
/// States share what they have in common, as all values do: a big array that no step changes is there
/// once.
public struct Timeline<State: Sendable, Action: Sendable>: Sendable, CustomStringConvertible {
  /// What has happened, in its order.
  public package(set) var entries: [TraceEvent<State, Action>]
  /// How many entries there were before these and are not kept.
  public package(set) var dropped = 0

  package init(entries: [TraceEvent<State, Action>], dropped: Int = 0) {
    (self.entries, self.dropped) = (entries, dropped)
  }

  /// The steps among the entries.
  public var steps: [Step<State, Action>] { entries.compactMap(\.step) }

  /// A line for each entry: the seconds since the first, what happened, by what, and what it changed.
  public var description: String {
    var (lines, state) = (dropped == 0 ? [] : ["\(dropped) dropped"], State?.none)
    for entry in entries {
      let seconds = entry.time.timeIntervalSince(entries[0].time)
      lines.append("\(seconds.inMilliseconds) " + entry.description(after: state))
      state = entry.step?.state ?? state
    }
    return lines.joined(separator: "\n")
  }
}

extension TimeInterval {
  /// Rounded to three digits behind the point, all of them written.
  fileprivate var inMilliseconds: String {
    let thousandths = Int((self * 1000).rounded())
    let digits = "000\(abs(thousandths) % 1000)".suffix(3)
    return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1000).\(digits)"
  }
}
