/// The latencies of the operations of one batch, in nanoseconds of wall-clock time.
struct Latency: Codable {
  let p50: Double
  let p99: Double
}

/// Records the end of each operation of a batch.
///
/// The runner calls `begin` before the batch and `take` after it; during the batch one thread calls
/// `lap`.
final class LatencyLog: @unchecked Sendable {
  private var times: [Double] = []
  private var last = 0.0

  /// The first of `count` operations begins.
  func begin(_ count: Int) {
    times.removeAll(keepingCapacity: true)
    times.reserveCapacity(count)
    last = wallNanoseconds()
  }

  /// The next operation begins now, after a pause that does not count.
  func restart() { last = wallNanoseconds() }

  /// An operation has ended, and the next one begins.
  func lap() {
    let now = wallNanoseconds()
    times.append(now - last)
    last = now
  }

  /// The latencies of the last batch; nil when none was recorded.
  func take() -> Latency? {
    guard let p50 = times.quantile(0.5), let p99 = times.quantile(0.99) else { return nil }
    return Latency(p50: p50, p99: p99)
  }
}
