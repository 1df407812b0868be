import Dispatch

extension RxTimeInterval {
  /// The time of a duration in whole nanoseconds, rounded down; zero for a negative one, and `.never`
  /// for one of 292 years or more.
  package init(_ duration: Duration) {
    // Compared first: `components` traps when the seconds are beyond an Int64.
    if duration >= .nanoseconds(Int64.max) {
      self = .never
    } else if duration <= .zero {
      self = .nanoseconds(0)
    } else {
      let (seconds, attoseconds) = duration.components
      self = .nanoseconds(Int(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
  }
}
