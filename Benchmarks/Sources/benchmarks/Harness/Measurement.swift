/// The times of one batch of every contender, taken in turn.
struct Round: Codable {
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

  func latencyRatio(to other: Contender.Name) -> Double? {
    rounds.compactMap { $0.latencyRatio(to: other) }.quantile(0.5)
  }

  /// Deliveries in a second of wall-clock time.
  func perSecond(of name: Contender.Name) -> Double? {
    rounds.compactMap { $0.wall[name] }.quantile(0.5).map { 1e9 / $0 }
  }

  /// The distance of the quartiles of ours, as a part of its median.
  var spread: Double? {
    let times = rounds.compactMap { $0.nanoseconds[.ours] }
    guard let low = times.quantile(0.25), let high = times.quantile(0.75),
      let median = times.quantile(0.5)
    else { return nil }
    return (high - low) / median
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
