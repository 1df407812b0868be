/// The times of one batch of every contender, taken in turn.
struct Round: Codable {
  /// Contenders are prepared once for all rounds of a sitting.
  let sitting: Int
  /// Nanoseconds of CPU for one delivery.
  let nanoseconds: [Contender.Name: Double]
  /// Nanoseconds of wall-clock time for one delivery.
  let wall: [Contender.Name: Double]
  /// Where operations are timed one by one.
  let latencies: [Contender.Name: Latency]

  /// Ours divided by another's.
  func ratio(to other: Contender.Name) -> Double? {
    guard let ours = nanoseconds[.ours], let theirs = nanoseconds[other] else { return nil }
    return ours / theirs
  }

  /// Our median latency divided by another's.
  func latencyRatio(to other: Contender.Name) -> Double? {
    guard let ours = latencies[.ours], let theirs = latencies[other] else { return nil }
    return ours.p50 / theirs.p50
  }

  /// By latency where it is recorded, otherwise by wall-clock time, because messages wait.
  func messageRatio(to other: Contender.Name) -> Double? {
    if let ratio = latencyRatio(to: other) { return ratio }
    guard let ours = wall[.ours], let theirs = wall[other] else { return nil }
    return ours / theirs
  }
}

/// The measurement of one workload.
struct Measurement: Codable {
  let name: String
  /// The operations in a batch.
  let operations: Int
  let deliveries: Int
  /// Where messages are exchanged.
  let messageBytes: Int?
  let rounds: [Round]
  /// Ours.
  let heap: CountedHeap

  func nanoseconds(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.nanoseconds[name] }.quantile(0.5)
  }

  /// The median of the rounds' ratios: adjacent batches saw the same machine, medians did not.
  func ratio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.ratio(to: other) }.quantile(0.5)
  }

  /// The median of the rounds' p50, in nanoseconds.
  func p50(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencies[name]?.p50 }.quantile(0.5)
  }

  /// The median of the rounds' p99, in nanoseconds, which a single disturbed round does not change.
  func p99(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencies[name]?.p99 }.quantile(0.5)
  }

  func messageRatio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.messageRatio(to: other) }.quantile(0.5)
  }

  /// The other's time divided by ours: of CPU, or for messages of the wall clock.
  func timesOurs(_ other: Contender.Name) -> Double? {
    (messageBytes == nil ? ratio(to: other) : messageRatio(to: other)).map { 1 / $0 }
  }

  func latencyRatio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencyRatio(to: other) }.quantile(0.5)
  }

  /// Deliveries in a second of wall-clock time.
  func perSecond(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.wall[name] }.quantile(0.5).map { 1e9 / $0 }
  }

  /// The expected difference of two runs, as a part of the figure: the distance of the sittings' medians,
  /// or in a single sitting that of the quartiles.
  ///
  /// The figure is the ratio to the loop or to raw TCP where there is one, else the time of ours.
  var noise: Double? {
    let basis = basis
    let figures = rounds.compactMap { round in figure(basis, of: round).map { (round.sitting, $0) }
    }
    let sittings = Dictionary(grouping: figures, by: \.0).values
      .compactMap { $0.map(\.1).quantile(0.5) }
    let all = figures.map(\.1)
    let (low, high) =
      sittings.count > 1
      ? (sittings.min(), sittings.max()) : (all.quantile(0.25), all.quantile(0.75))
    guard let low, let high, let median = all.quantile(0.5), median > 0 else { return nil }
    return (high - low) / median
  }

  /// Whether two runs may differ in the row by more than a tenth.
  var isNoisy: Bool { noise.map { $0 > Self.band } ?? false }

  static let band = 0.1

  /// The figure for comparing runs: ours divided by the loop's or raw TCP's, by the relevant clock.
  var comparison: Double? {
    let basis = basis
    return rounds.compactMap { figure(basis, of: $0) }.quantile(0.5)
  }

  /// The contender that ours is compared with; nil when there is neither a loop nor raw TCP.
  private var basis: Contender.Name? {
    [.loop, .raw].first { name in rounds.contains { $0.nanoseconds[name] != nil } }
  }

  private func figure(_ basis: Contender.Name?, of round: Round) -> Double? {
    guard let basis else { return round.nanoseconds[.ours] }
    return messageBytes == nil ? round.ratio(to: basis) : round.messageRatio(to: basis)
  }

  var allocations: Double { perDelivery(heap.allocations) }
  var kept: Double { perDelivery(heap.kept) }
  var live: Double { perDelivery(heap.peak) }

  /// The figure to store: allocations of an operation, or its live bytes.
  func figure(_ kind: Thresholds.Figure) -> Double {
    kind == .allocations ? allocations : live
  }

  private func perDelivery(_ figure: Int) -> Double {
    Double(figure) / Double(heap.operations * deliveries)
  }
}

extension [Double] {
  /// The quantile, interpolated; nil when the array is empty.
  func quantile(_ part: Double) -> Double? {
    if isEmpty { return nil }
    let sorted = sorted()
    let position = part * Double(count - 1)
    let (lower, upper) = (Int(position.rounded(.down)), Int(position.rounded(.up)))
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }
}
