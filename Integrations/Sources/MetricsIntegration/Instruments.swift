import Metrics
import Reactive
import Synchronization

/// The metrics with one prefix and common dimensions, each made when it is first used.
final class Instruments: Sendable {
  private struct Key: Hashable {
    let name: String
    let values: [String]
  }

  private struct Made {
    var counters: [Key: Counter] = [:]
    var meters: [Key: Meter] = [:]
    var timers: [Key: Timer] = [:]
  }

  private let prefix: String
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory
  private let made = Mutex(Made())

  init(_ prefix: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    self.prefix = prefix
    self.dimensions = dimensions
    self.factory = factory
  }

  /// Adds to a counter; zero makes no counter.
  func count(_ name: String, _ count: Int, _ dimensions: [(String, String)] = []) {
    guard count > 0 else { return }
    metric(name, dimensions, \.counters) {
      Counter(label: $0, dimensions: $1, factory: factory)
    }.increment(by: count)
  }

  /// Adds to two counters, with the direction of OpenTelemetry.
  func countTraffic(
    _ name: String, received: Int, sent: Int
  ) {
    count(name, received, [("network.io.direction", "receive")])
    count(name, sent, [("network.io.direction", "transmit")])
  }

  func set(_ name: String, _ value: Int, _ dimensions: [(String, String)] = []) {
    set(name, Double(value), dimensions)
  }

  func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) {
    metric(name, dimensions, \.meters) {
      Meter(label: $0, dimensions: $1, factory: factory)
    }.set(value)
  }

  func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)] = []) {
    metric(name, dimensions, \.timers) {
      Timer(label: $0, dimensions: $1, factory: factory)
    }.recordNanoseconds(Int64(duration / .nanoseconds(1)))
  }

  private func metric<Metric: Sendable>(
    _ name: String, _ dimensions: [(String, String)],
    _ path: WritableKeyPath<Made, [Key: Metric]> & Sendable,
    _ make: (String, [(String, String)]) -> Metric
  ) -> Metric {
    let key = Key(name: name, values: dimensions.map(\.1))
    if let known = made.withLock({ $0[keyPath: path][key] }) { return known }
    // The factory is the program's, and is called without the lock.
    let new = make("\(prefix).\(name)", self.dimensions + dimensions)
    return made.withLock { made in
      if let known = made[keyPath: path][key] { return known }
      made[keyPath: path][key] = new
      return new
    }
  }
}
