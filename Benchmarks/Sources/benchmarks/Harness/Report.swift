import Foundation

/// All that a run found.
struct Report: Codable {
  let machine: Machine
  var measurements: [Measurement] = []
  var verdicts: [Verdict] = []

  var hasFailed: Bool { verdicts.contains { $0.outcome == .fail } }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(filePath: path))
  }
}

/// The lines of a table that fits in 100 columns.
enum Table {
  static let header = """
    \(row("workload", ["ours", "loop", "peer", "/loop", "/peer", "allocs", "live", "kept", "spread"]))
    \(row("", ["ns", "ns", "ns", "", "", "/op", "B/op", "B/op", ""]))
    """

  @MainActor
  static func row(_ found: Measurement, _ verdicts: [Verdict]) -> String {
    let figures = [
      found.nanoseconds(of: .ours), found.nanoseconds(of: .loop), found.nanoseconds(of: .peer),
      found.ratio(to: .loop), found.ratio(to: .peer),
    ]
    let heap = [found.allocations, found.live, found.kept].map { CountedHeap.isCounted ? $0 : nil }
    let spread = found.spread.map { "\(Int(($0 * 100).rounded()))%" }
    let cells = (figures + heap).map { $0?.significant(3) } + [spread]
    return row(found.name, cells.map { $0 ?? "-" }) + outcome(of: verdicts)
  }

  static func line(_ verdict: Verdict) -> String {
    let outcome = verdict.outcome.rawValue.padded(to: 5)
    return "\(outcome) \(verdict.workload.padded(to: 23)) \(verdict.target): \(verdict.figure)"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    name.padded(to: 24) + cells.map { $0.paddedLeft(to: 7) }.joined()
  }

  private static func outcome(of verdicts: [Verdict]) -> String {
    let outcomes = Set(verdicts.map(\.outcome))
    return [Verdict.Outcome.fail, .pass].first(where: outcomes.contains).map { " \($0)" } ?? ""
  }
}

extension Double {
  /// In so many digits, without an exponent; `~0` is what rounds to nothing.
  func significant(_ digits: Int) -> String {
    if self == 0 { return "0" }
    if abs(self) < 0.01 { return "~0" }
    return formatted(
      .number.precision(.significantDigits(1...digits)).grouping(.never).locale(.posix)
    )
  }
}

extension Int {
  /// With its sign.
  var signed: String { self < 0 ? "\(self)" : "+\(self)" }
}

extension Locale {
  fileprivate static let posix = Locale(identifier: "en_US_POSIX")
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  fileprivate func paddedLeft(to width: Int) -> String {
    String(repeating: " ", count: max(1, width - count)) + self
  }
}
