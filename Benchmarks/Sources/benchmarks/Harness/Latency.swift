/// How long the operations of one batch took, each by itself, in nanoseconds of wall-clock time.
struct Latency: Codable {
  let p50: Double
  let p99: Double
}

/// Notes when each operation of a batch ends.
///
/// Whoever runs the batch calls `begin` before it starts and `take` once it has ended; meanwhile one
/// thread calls `lap`.
final class LatencyLog: @unchecked Sendable {
  private var times: [Double] = []
  private var last = 0.0

  /// The first of `count` operations begins.
  func begin(_ count: Int) {
    times.removeAll(keepingCapacity: true)
    times.reserveCapacity(count)
    last = wallNanoseconds()
  }

  /// An operation has ended, and the next one begins.
  func lap() {
    let now = wallNanoseconds()
    times.append(now - last)
    last = now
  }

  /// What the last batch took; nil when nothing was noted.
  func take() -> Latency? {
    guard let p50 = times.quantile(0.5), let p99 = times.quantile(0.99) else { return nil }
    return Latency(p50: p50, p99: p99)
  }
}
