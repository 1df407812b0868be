import CoreMetrics
import Synchronization

/// Metrics as lines of text: the name, the dimensions and the value of each.
final class TextMetrics: MetricsFactory {
  private let values = Mutex<[String: Double]>([:])

  var text: String {
    values.withLock { $0 }.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value)\n" }.joined()
  }

  private func metric(_ label: String, _ dimensions: [(String, String)]) -> TextMetric {
    let pairs = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
    let key = pairs.isEmpty ? label : "\(label){\(pairs)}"
    return TextMetric { [weak self] change in
      self?.values.withLock { change(&$0[key, default: 0]) }
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> CounterHandler {
    metric(label, dimensions)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> MeterHandler {
    metric(label, dimensions)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> RecorderHandler { metric(label, dimensions) }

  func makeTimer(label: String, dimensions: [(String, String)]) -> TimerHandler {
    metric(label, dimensions)
  }

  func destroyCounter(_ handler: CounterHandler) {}
  func destroyMeter(_ handler: MeterHandler) {}
  func destroyRecorder(_ handler: RecorderHandler) {}
  func destroyTimer(_ handler: TimerHandler) {}
}

/// One value: a sum, or the last one that was set or recorded.
private final class TextMetric: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  private let update: @Sendable ((inout Double) -> Void) -> Void

  init(_ update: @escaping @Sendable ((inout Double) -> Void) -> Void) { self.update = update }

  func increment(by amount: Int64) { update { $0 += Double(amount) } }
  func reset() { update { $0 = 0 } }
  func set(_ value: Int64) { update { $0 = Double(value) } }
  func set(_ value: Double) { update { $0 = value } }
  func increment(by amount: Double) { update { $0 += amount } }
  func decrement(by amount: Double) { update { $0 -= amount } }
  func record(_ value: Int64) { update { $0 = Double(value) } }
  func record(_ value: Double) { update { $0 = value } }
  func recordNanoseconds(_ duration: Int64) { update { $0 = Double(duration) / 1e9 } }
}
