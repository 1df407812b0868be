import Foundation
import Reactive

/// A time or a duration of virtual time, in ticks.
public typealias TestTime = Int

/// Converts between ticks and dates.
///
/// Tick 0 is 1970.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  // Seconds of one tick.
  private let resolution: TimeInterval

  init(resolution: TimeInterval) { self.resolution = resolution }

  /// Ticks since 1970 to a date.
  public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
    RxTime(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
  }

  /// A date to the nearest number of ticks since 1970.
  public func convertToVirtualTime(_ time: RxTime) -> TestTime {
    convertToVirtualTimeInterval(time.timeIntervalSince1970)
  }

  /// Ticks to seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
    TimeInterval(virtualTimeInterval) * resolution
  }

  /// Seconds to the nearest number of ticks; `TestTime.max` when it does not fit.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
    TestTime(exactly: (timeInterval / resolution).rounded()) ?? .max
  }

  /// The sum of a time and an offset, both in ticks.
  public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime { time + offset }

  /// Compares two times.
  public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
    if lhs < rhs { return .lessThan }
    return lhs == rhs ? .equal : .greaterThan
  }
}
