/// The agreement of several runs.
struct Agreement {
  /// The difference of the runs by workload, as a part of the first run's figure.
  private let distances: [String: Double]

  init(_ report: Report, _ others: [Report]) {
    var distances: [String: Double] = [:]
    for found in report.measurements {
      guard let figure = found.comparison else { continue }
      let apart = others.compactMap { $0.measurement(found.name)?.comparison }
        .map { abs($0 - figure) / figure }
      distances[found.name] = apart.max()
    }
    self.distances = distances
  }

  /// The noise of a row, marked when it is noisy.
  func noise(of found: Measurement) -> String {
    let noise = max(found.noise ?? 0, distances[found.name] ?? 0)
    return noise > Measurement.band ? "**noisy**, \(noise.percent)" : noise.percent
  }

  /// The agreement in one sentence, for the report.
  var sentence: String {
    if distances.isEmpty { return "One run." }
    let apart = distances.filter { $0.value > Measurement.band }
    let names = apart.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
    let rest = apart.isEmpty ? "" : "; the others are called noisy: \(names)"
    return """
      Of two runs, \(distances.count - apart.count) of \(distances.count) rows agree within \
      \(Measurement.band.percent)\(rest).
      """
  }
}
