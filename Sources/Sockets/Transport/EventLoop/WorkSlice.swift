/// The time that one connection may take before others have their turn: 150 microseconds.
///
/// The clock is read after the first unit of work, the second, the fourth and so on, after every
/// 32nd, and after every unit that may take long. The time of the first unit does not count.
struct WorkSlice {
  private var start: UInt64?
  private var units = 0
  private var nextCheck = 1

  private static let limit: UInt64 = 150_000
  private static let largestStep = 32

  /// Counts a unit of work, and returns whether the time slice has ended.
  mutating func isSpent(
    afterLongUnit isLong: Bool, now: () -> UInt64
  ) -> Bool {
    units += 1
    guard isLong || units >= nextCheck else { return false }
    nextCheck = units + min(units, Self.largestStep)
    guard let start else {
      start = now()
      return false
    }
    return now() - start >= Self.limit
  }
}
