import Foundation

/// The lines of a table that fits in 100 columns.
@MainActor
enum Table {
  /// The header above the row of `found`.
  static func header(of found: Measurement) -> String {
    if found.messageBytes != nil {
      return row(
        "workload/contender",
        ["p50", "p99", "/loop", "/raw", "per s", "MB/s", "CPU", "allocs", "noise"])
        + "\n" + row("", ["us", "us", "", "", "", "", "ns/op", "/op", ""])
    }
    let ratios = compared(found)
    let names = ["ours"] + ratios.map { "/\($0.short)" } + ["allocs", "live", "kept", "noise"]
    let units = ["ns"] + ratios.map { _ in "" } + ["/op", "B/op", "B/op", ""]
    return "\(row("workload", names))\n\(row("", units))"
  }

  /// One line, or for messages one line for each contender.
  static func row(_ found: Measurement, _ verdicts: [Verdict]) -> String {
    guard let bytes = found.messageBytes else { return costRow(found, verdicts) }
    return Contender.Name.allCases
      .filter { found.nanoseconds(of: $0) != nil }
      .map { messageRow(found, bytes, $0) + ($0 == .ours ? outcome(of: verdicts, found) : "") }
      .joined(separator: "\n")
  }

  static func line(_ verdict: Verdict) -> String {
    let outcome = verdict.outcome.rawValue.padded(to: 6)
    return "\(outcome) \(verdict.workload.padded(to: 25)) \(verdict.target): \(verdict.figure)"
  }

  /// The contenders that ours is divided by.
  static func compared(_ found: Measurement) -> [Contender.Name] {
    found.name.hasPrefix("compose/") ? [.loop, .store, .actor] : [.loop, .chain, .peer, .async]
  }

  private static func messageRow(
    _ found: Measurement,
    _ bytes: Int,
    _ name: Contender.Name
  ) -> String {
    let isOurs = name == .ours
    let figures = [
      found.p50(of: name).map { $0 / 1000 }, found.p99(of: name).map { $0 / 1000 },
      isOurs ? found.latencyRatio(to: .loop) : nil, isOurs ? found.messageRatio(to: .raw) : nil,
      found.perSecond(of: name), found.perSecond(of: name).map { $0 * Double(bytes) / 1e6 },
      found.nanoseconds(of: name), isOurs && CountedHeap.isCounted ? found.allocations : nil,
    ]
    let noise = isOurs ? found.noise.map(\.percent) : nil
    let cells = figures.map { $0?.significant(3) } + [noise]
    return row("\(found.name)/\(name.short)", cells.map { $0 ?? "-" })
  }

  private static func costRow(_ found: Measurement, _ verdicts: [Verdict]) -> String {
    let ours = [found.nanoseconds(of: .ours)]
    let ratios = compared(found).map { found.ratio(to: $0) }
    let heap = [found.allocations, found.live, found.kept].map { CountedHeap.isCounted ? $0 : nil }
    let cells =
      ours.map { $0?.significant(3) } + ratios.map { $0?.ratio(3) }
      + heap.map { $0?.significant(3) } + [found.noise?.percent]
    return row(found.name, cells.map { $0 ?? "-" }) + outcome(of: verdicts, found)
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    name.padded(to: 25) + cells.map { $0.paddedLeft(to: 7) }.joined()
  }

  private static func outcome(of verdicts: [Verdict], _ found: Measurement) -> String {
    let outcomes = Set(verdicts.map(\.outcome))
    let worst = [Verdict.Outcome.fail, .missed, .met, .pass].first(where: outcomes.contains)
    return (worst.map { " \($0)" } ?? "") + (found.isNoisy ? " noisy" : "")
  }
}

extension Contender.Name {
  /// For the columns of a terminal.
  var short: String { self == .flyingFox ? "fox" : rawValue }
}

extension Double {
  /// With that many digits, without an exponent; `~0` for a figure that rounds to zero.
  func significant(_ digits: Int) -> String {
    if self == 0 { return "0" }
    return abs(self) < 0.01 ? "~0" : ratio(digits)
  }

  /// With that many digits, without an exponent, for small figures too.
  func ratio(_ digits: Int) -> String {
    formatted(.number.precision(.significantDigits(1...digits)).grouping(.never).locale(.posix))
  }

  /// As a part of a hundred, without decimals.
  var percent: String { "\(Int((self * 100).rounded())) %" }
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
