import Dispatch

extension RxTimeInterval {
  /// The time of a duration in whole nanoseconds, rounded down; longer than 292 years is `.never`.
  package init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflows || isTooLong {
      self = duration < .zero ? .nanoseconds(0) : .never
    } else {
      self = .nanoseconds(Int(clamping: sum))
    }
  }
}
