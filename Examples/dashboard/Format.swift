import Foundation

/// Short texts of figures, for people.
enum Format {
  /// `31 %`, of a share of 0...1.
  static func percent(_ share: Double) -> String {
    "\(Int(bounded(share * 100, to: 999).rounded())) %"
  }

  /// `12.3 KiB`.
  static func bytes(_ count: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var rest = bounded(count, to: 0x1p69)
    var unit = 0
    while rest >= 1_000, unit < units.count - 1 {
      rest /= 1_024
      unit += 1
    }
    let digits = unit == 0 || rest >= 99.95 ? 0 : 1
    return "\(decimal(min(rest, 999), digits: digits)) \(units[unit])"
  }

  /// `0.31  0.42  0.50`.
  static func load(_ load: [Double]) -> String {
    load.map { decimal(bounded($0, to: 9_999), digits: 2) }.joined(separator: "  ")
  }

  /// `1 frame`, `2 frames`.
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// `01:05`, of seconds.
  static func clock(_ seconds: Int) -> String {
    let parts = seconds < 3_600 ? [seconds / 60] : [seconds / 3_600, seconds / 60 % 60]
    return (parts + [seconds % 60])
      .map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
  }

  /// A foreign text, without characters that move the cursor or take two columns.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x52F: scalar
          default: "·"
          }
        }
      )
    )
  }

  /// `text` at the right end of `width` columns.
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func bounded(_ value: Double, to limit: Double) -> Double {
    value.isNaN ? 0 : min(max(0, value), limit)
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}
