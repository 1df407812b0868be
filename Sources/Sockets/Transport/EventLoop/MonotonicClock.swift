#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Monotonic time, in nanoseconds since an arbitrary moment.
enum MonotonicClock {
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded up, at least 0 and at most `UInt64.max` (584 years).
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let fraction = UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, alsoOverflows) = whole.addingReportingOverflow(fraction)
    return overflows || alsoOverflows ? .max : sum
  }
}
