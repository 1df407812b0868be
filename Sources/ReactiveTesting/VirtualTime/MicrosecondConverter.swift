import Foundation

/// Converts between virtual time in microseconds and dates.
///
/// Virtual time 0 is the reference date, 2001.
public struct MicrosecondConverter: VirtualTimeConverterType {
  /// The reference date plus this number of microseconds.
  public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSinceReferenceDate: TimeInterval(virtualTime) / 1_000_000)
  }

  /// The number of microseconds since the reference date.
  public func convertToVirtualTime(_ time: RxTime) -> Int {
    Int((time.timeIntervalSinceReferenceDate * 1_000_000).rounded())
  }

  /// Microseconds to seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    TimeInterval(virtualTimeInterval) / 1_000_000
  }

  /// Seconds to microseconds.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int {
    Int((timeInterval * 1_000_000).rounded())
  }

  /// The sum of a time and an offset, both in microseconds.
  public func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

  /// Compares two times.
  public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}
