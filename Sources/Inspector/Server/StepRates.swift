/// The steps a second of composers, between the last two updates.
struct StepRates {
  private var counts: [Int: Int] = [:]
  private var rates: [Int: Double] = [:]
  private var lastTick = 0

  /// The number of notifications in a second.
  private static let ticksPerSecond = 5.0

  /// The steps a second of a composer.
  subscript(composer: Int) -> Double { rates[composer] ?? 0 }

  /// Updates the rates by the numbers of steps until now.
  mutating func update(_ stepCounts: [(composer: Int, count: Int)], _ tick: Int) {
    let seconds = Double(tick - lastTick) / Self.ticksPerSecond
    for (composer, count) in stepCounts {
      rates[composer] = Double(count - (counts[composer] ?? count)) / seconds
      counts[composer] = count
    }
    lastTick = tick
  }
}
