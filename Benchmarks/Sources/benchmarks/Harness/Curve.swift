/// The same work at several sizes, and how its cost may grow with them.
@MainActor
struct Curve {
  /// Group and name: `reactive/stages`; its points are `reactive/stages@1` and so on.
  let name: String
  /// What is drawn: "An element through so many maps".
  let summary: String
  /// What there is more and more of: "stages".
  let axis: String
  let expected: Growth.Kind
  let points: [(size: Int, workload: Workload)]

  init(
    _ name: String,
    _ summary: String,
    axis: String,
    sizes: [Int],
    expected: Growth.Kind,
    _ workload: (_ name: String, _ size: Int) -> Workload
  ) {
    self.name = name
    self.summary = summary
    self.axis = axis
    self.expected = expected
    points = sizes.map { ($0, workload("\(name)@\($0)", $0)) }
  }

  /// What the curve shows, as far as its points were measured; nil with fewer than three.
  func found(in measurements: [Measurement]) -> CurveFound? {
    let points = points.compactMap { point in
      measurements.first { $0.name == point.workload.name }.map { (point.size, $0) }
    }
    guard points.count > 2 else { return nil }
    var costs: [Contender.Name: [CurveFound.Point]] = [:]
    for (size, measurement) in points {
      for contender in Contender.Name.allCases {
        guard let cost = measurement.nanoseconds(of: contender) else { continue }
        costs[contender, default: []].append(CurveFound.Point(size: size, nanoseconds: cost))
      }
    }
    guard let growth = costs[.ours].flatMap(Growth.init(of:)) else { return nil }
    let withoutUs: [Contender.Name] = [.loop, .chain, .raw]
    let others = withoutUs.compactMap { costs[$0].flatMap(Growth.init(of:)) }
    return CurveFound(
      name: name,
      summary: summary,
      axis: axis,
      costs: costs,
      growth: growth,
      floor: others.map(\.exponent).max(),
      expected: expected
    )
  }
}

/// A curve as it was measured.
struct CurveFound: Codable {
  struct Point: Codable {
    let size: Int
    /// Of CPU, for one operation.
    let nanoseconds: Double
  }

  let name: String
  let summary: String
  let axis: String
  let costs: [Contender.Name: [Point]]
  let growth: Growth
  /// The exponent of the loop, of closures by hand or of raw TCP: what the machine alone makes of more
  /// of the same, by its caches and by how deeply it can nest calls.
  let floor: Double?
  let expected: Growth.Kind

  /// How ours grows, and whether the machine does the same without us.
  var sentence: String {
    let words = growth.sentence(axis: axis)
    guard growth.kind == .worse, let floor else { return words }
    return "\(words); without us the power \(floor.ratio(2))"
  }

  /// Growing faster than it may is a defect, but one that a time shows: it decides nothing.
  var verdict: Verdict {
    let limit = max(expected.exponent, (floor ?? 0) + 0.1)
    return Verdict(
      on: name,
      ("growth: \(expected.words), or as without us", sentence, growth.exponent <= limit),
      isTarget: true
    )
  }
}
