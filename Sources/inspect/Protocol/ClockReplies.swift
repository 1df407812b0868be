// The results of the requests about virtual clocks.

struct ClockList: Codable, Equatable, Sendable { let clocks: [ClockInfo] }

struct ClockInfo: Codable, Equatable, Sendable {
  let clock: Int
  /// Seconds since the clock's beginning.
  var elapsed = 0.0
  /// The time of the next work, in the same seconds; nil for none.
  var nextDue: Double?
  var isPaused = false
  /// Whether the program advances the clock, and waits for a step.
  var isWaiting = false
}
