/// The CPU time of one batch of every contender, taken in turn.
struct Round: Codable {
  /// Nanoseconds for one delivery.
  let nanoseconds: [Contender.Name: Double]

  /// Ours divided by another's.
  func ratio(to other: Contender.Name) -> Double? {
    guard let ours = nanoseconds[.ours], let theirs = nanoseconds[other] else { return nil }
    return ours / theirs
  }
}

/// What was found about one workload.
struct Measurement: Codable {
  let name: String
  /// The operations in a batch.
  let operations: Int
  let deliveries: Int
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
