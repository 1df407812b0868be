import CoreMetrics
import IntegrationTestSupport
import MetricsTestKit

/// Test metrics whose counters a test can wait for.
final class WatchedMetrics: MetricsFactory {
  let metrics = TestMetrics()
  private let changes = Watched(0)

  func wait(until isReported: @escaping @Sendable (TestMetrics) -> Bool) async throws {
    try await changes.wait { [metrics] _ in isReported(metrics) }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> CounterHandler {
    WatchedCounter(metrics.makeCounter(label: label, dimensions: dimensions), changes)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> RecorderHandler {
    metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> MeterHandler {
    metrics.makeMeter(label: label, dimensions: dimensions)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> TimerHandler {
    metrics.makeTimer(label: label, dimensions: dimensions)
  }

  func destroyCounter(_ handler: CounterHandler) {}
  func destroyRecorder(_ handler: RecorderHandler) {}
  func destroyMeter(_ handler: MeterHandler) {}
  func destroyTimer(_ handler: TimerHandler) {}
}

private final class WatchedCounter: CounterHandler {
  private let counter: CounterHandler
  private let changes: Watched<Int>

  init(_ counter: CounterHandler, _ changes: Watched<Int>) {
    self.counter = counter
    self.changes = changes
  }

  func increment(by amount: Int64) {
    counter.increment(by: amount)
    changes.update { $0 += 1 }
  }

  func reset() { counter.reset() }
}
