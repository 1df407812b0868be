/// The same work at several sizes, and the allowed growth of its cost.
@MainActor
struct Curve {
  /// Group and name: `reactive/stages`; its points are `reactive/stages@1` and so on.
  let name: String
  /// The caption: "An element through n maps".
  let summary: String
  /// The name of the size: "stages".
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

  /// The result of the measured points; nil with fewer than three.
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
  /// The exponent of the loop, of closures by hand or of raw TCP: the growth caused by the machine, by
  /// its caches and its prediction of nested returns.
  let floor: Double?
  let expected: Growth.Kind

  /// The growth of ours, and that of the machine without the library.
  var sentence: String {
    let words = growth.sentence(axis: axis)
    guard growth.kind == .worse, let floor else { return words }
    return "\(words); without us the power \(floor.ratio(2))"
  }

  /// Excessive growth is a defect, but it depends on time, so it is a target and not a gate.
  var verdict: Verdict {
    let limit = max(expected.exponent, (floor ?? 0) + 0.1)
    return Verdict(
      on: name,
      ("growth: \(expected.words), or as without us", sentence, growth.exponent <= limit),
      isTarget: true
    )
  }
}
