#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A composer's steps and effects as a value: to print, store in a file, replay and compare.
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
/// Successive states share storage, as copies of a value do: a large array that no step changes is
/// in memory once.
public struct Timeline<State: Sendable, Action: Sendable>: Sendable, CustomStringConvertible {
  /// The recorded events, in the order in which they happened.
  public package(set) var entries: [TraceEvent<State, Action>]
  /// The number of earlier entries that were dropped.
  public package(set) var dropped = 0

  package init(entries: [TraceEvent<State, Action>], dropped: Int = 0) {
    self.entries = entries
    self.dropped = dropped
  }

  /// The steps among the entries.
  public var steps: [ComposerStep<State, Action>] { entries.compactMap(\.step) }

  /// One line for each entry: seconds since the first entry, the event, its cause, and the changes
  /// of the state.
  ///
  /// A collection of more than 10 elements is shortened to the first three and the number of the others;
  /// ``jsonLines()`` has all.
  public var description: String {
    var lines = dropped == 0 ? [] : ["\(dropped) dropped"]
    var state: State?
    for entry in entries {
      let seconds = entry.time.timeIntervalSince(entries[0].time)
      lines.append("\(seconds.inMilliseconds) " + entry.description(after: state))
      state = entry.step?.state ?? state
    }
    return lines.joined(separator: "\n")
  }
}

extension TimeInterval {
  /// The seconds with exactly three digits after the point.
  fileprivate var inMilliseconds: String {
    // The times of a file are any numbers.
    guard let thousandths = Int(exactly: (self * 1000).rounded()) else { return "\(self)" }
    let digits = "000\(thousandths.magnitude % 1000)".suffix(3)
    return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(digits)"
  }
}
