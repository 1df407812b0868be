#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The steps a second of a composer, over the last second or since the last time that they were asked for.
struct StepRate {
  private var count = 0
  private var time: Date
  private var rate = 0.0

  init(at now: Date) { time = now }

  /// The rate, when there have been `newCount` steps.
  mutating func update(_ newCount: Int, at now: Date) -> Double {
    let seconds = now.timeIntervalSince(time)
    // A shorter time would show single steps as high rates.
    guard seconds >= 1 else { return rate }
    rate = Double(newCount - count) / seconds
    (count, time) = (newCount, now)
    return rate
  }
}
