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

  /// By latency where it is noted, else by the clock on the wall: what counts where messages wait.
  func messageRatio(to other: Contender.Name) -> Double? {
    if let ratio = latencyRatio(to: other) { return ratio }
    guard let ours = wall[.ours], let theirs = wall[other] else { return nil }
    return ours / theirs
  }
}

/// What was found about one workload.
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

  /// The median of the rounds' ratios: neighbours in time saw the same machine, medians did not.
  func ratio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.ratio(to: other) }.quantile(0.5)
  }

  /// The median of the rounds' p50, in nanoseconds.
  func p50(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencies[name]?.p50 }.quantile(0.5)
  }

  /// The median of the rounds' p99, in nanoseconds: a round that another process disturbed does not
  /// decide.
  func p99(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencies[name]?.p99 }.quantile(0.5)
  }

  func messageRatio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.messageRatio(to: other) }.quantile(0.5)
  }

  /// How many times the other takes what ours takes: by the CPU, messages by the clock on the wall.
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

  /// How far two runs may be apart, as a part of the figure: the distance of the sittings' medians, or
  /// in a single sitting that of the quartiles.
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

  /// Whether two runs may disagree about the row by more than a tenth.
  var isNoisy: Bool { noise.map { $0 > Self.band } ?? false }

  static let band = 0.1

  /// What the row is compared by: ours divided by the loop's or raw TCP's, by the clock that counts.
  var comparison: Double? {
    let basis = basis
    return rounds.compactMap { figure(basis, of: $0) }.quantile(0.5)
  }

  /// Whom ours is compared with: nobody, when there is neither a loop nor raw TCP.
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

  /// What can be stored of it: allocations for an operation, bytes of one that lives.
  func figure(_ kind: Thresholds.Figure) -> Double {
    kind == .allocations ? allocations : live
  }

  private func perDelivery(_ figure: Int) -> Double {
    Double(figure) / Double(heap.operations * deliveries)
  }
}

extension [Double] {
  /// The value that the given part of the others is below, interpolated; nil when it is empty.
  func quantile(_ part: Double) -> Double? {
    if isEmpty { return nil }
    let sorted = sorted()
    let position = part * Double(count - 1)
    let (lower, upper) = (Int(position.rounded(.down)), Int(position.rounded(.up)))
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }
}
