import Foundation
import Reactive

/// A point or a span of virtual time, in ticks.
public typealias TestTime = Int

/// Translates between ticks and real time.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  // How many seconds one tick stands for.
  private let resolution: TimeInterval

  init(resolution: TimeInterval) { self.resolution = resolution }

  /// The real time that a tick stands for.
  public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
    RxTime(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
  }

  /// The tick nearest to a real time.
  public func convertToVirtualTime(_ time: RxTime) -> TestTime {
    convertToVirtualTimeInterval(time.timeIntervalSince1970)
  }

  /// The seconds that a number of ticks stands for.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
    TimeInterval(virtualTimeInterval) * resolution
  }

  /// The number of ticks nearest to a number of seconds; the largest there is when it does not fit.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
    TestTime(exactly: (timeInterval / resolution).rounded()) ?? .max
  }

  /// `time` moved by `offset`.
  public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime { time + offset }

  /// How two ticks compare.
  public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
    if lhs < rhs { return .lessThan }
    return lhs == rhs ? .equal : .greaterThan
  }
}
