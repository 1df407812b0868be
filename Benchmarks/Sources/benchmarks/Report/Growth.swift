import Foundation

/// The growth of a cost with a size.
struct Growth: Codable {
  /// From the least to the worst.
  enum Kind: String, Codable, Comparable, CaseIterable {
    case flat, slow, linear, worse

    static func < (one: Kind, other: Kind) -> Bool { one.exponent < other.exponent }

    /// The highest exponent of this kind.
    ///
    /// A cost that is flat or linear except for caches stays below it; a search through all objects, or a
    /// copy of all for each, does not.
    var exponent: Double {
      switch self {
      case .flat: 0.15
      case .slow: 0.5
      case .linear: 1.2
      case .worse: .infinity
      }
    }

    var words: String {
      switch self {
      case .flat: "flat"
      case .slow: "slowly"
      case .linear: "linear"
      case .worse: "worse than linear"
      }
    }
  }

  /// The exponent of the power that fits the upper half of the points best, where constant costs matter
  /// least.
  let exponent: Double
  let kind: Kind
  /// For linear growth: the cost of the first, and of each further one.
  let fixed: Double
  let each: Double
  let least: Double
  let most: Double

  init?(of points: [CurveFound.Point]) {
    let points = points.filter { $0.size > 0 && $0.nanoseconds > 0 }
    guard points.count > 2 else { return nil }
    let upper = points.suffix(max(3, (points.count + 1) / 2))
    let exponent = Self.slope(upper.map { (log(Double($0.size)), log($0.nanoseconds), 1) }).each
    self.exponent = exponent
    kind = Kind.allCases.first { exponent <= $0.exponent } ?? .worse
    // Weighted to minimise the relative error, at small sizes too.
    let line = Self.slope(
      points.map { (Double($0.size), $0.nanoseconds, 1 / ($0.nanoseconds * $0.nanoseconds)) })
    (fixed, each) = (line.fixed, line.each)
    least = points.map(\.nanoseconds).min() ?? 0
    most = points.map(\.nanoseconds).max() ?? 0
  }

  /// The straight line with the least squares.
  private static func slope(
    _ points: [(x: Double, y: Double, weight: Double)]
  ) -> (fixed: Double, each: Double) {
    let total = points.reduce(0) { $0 + $1.weight }
    let x = points.reduce(0) { $0 + $1.x * $1.weight } / total
    let y = points.reduce(0) { $0 + $1.y * $1.weight } / total
    let covariance = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) * $1.weight }
    let variance = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) * $1.weight }
    let each = variance > 0 ? covariance / variance : 0
    return (y - each * x, each)
  }

  /// `linear: 12 ns, and 4.1 ns for each of the stages`.
  func sentence(axis: String) -> String {
    switch kind {
    case .linear:
      let first = fixed > each ? "\(Self.time(fixed)), and " : ""
      return "linear: \(first)\(Self.time(each)) for each of the \(axis)"
    case .flat, .slow:
      return "\(kind.words): from \(Self.time(least)) to \(Self.time(most)), whatever the \(axis)"
    case .worse:
      return "worse than linear: the power \(exponent.ratio(2)) of the \(axis)"
    }
  }

  static func time(_ nanoseconds: Double) -> String {
    switch abs(nanoseconds) {
    case ..<1000: "\(nanoseconds.ratio(2)) ns"
    case ..<1_000_000: "\((nanoseconds / 1000).ratio(2)) us"
    default: "\((nanoseconds / 1_000_000).ratio(2)) ms"
    }
  }
}
