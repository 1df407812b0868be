import Foundation

/// Short texts of numbers.
enum Figures {
  /// `12.345`, of seconds.
  static func seconds(_ seconds: Double) -> String {
    seconds.isFinite ? String(format: "%.3f", seconds) : "\(seconds)"
  }

  /// `2.1`, of seconds.
  static func milliseconds(_ seconds: Double) -> String {
    seconds.isFinite ? String(format: "%.1f", seconds * 1_000) : "\(seconds)"
  }

  /// `0.5`, `12`, `12,345`: a rate.
  static func rate(_ rate: Double) -> String {
    guard rate.isFinite, abs(rate) < 1e15 else { return "\(rate)" }
    return rate < 9.95 ? String(format: "%.1f", rate) : count(Int(rate.rounded()))
  }

  /// `12,345`.
  static func count(_ count: Int) -> String {
    var digits = "\(count.magnitude)"
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.append(digits.suffix(3))
      digits = String(digits.dropLast(3))
    }
    let all = [digits[...]] + groups.reversed()
    return (count < 0 ? "-" : "") + all.joined(separator: ",")
  }

  /// `1 step`, `12,345 steps`.
  static func count(_ count: Int, _ noun: String) -> String {
    "\(self.count(count)) \(noun)\(count == 1 ? "" : "s")"
  }
}
