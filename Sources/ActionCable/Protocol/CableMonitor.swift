#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Decides when a connection is given up and when another is tried.
///
/// The algorithm and its numbers are those of the official JavaScript client.
///
/// It polls continuously, also while the connection is healthy. At a poll, a connection without a
/// message for more than 6 seconds is stale. A pure value: time and random numbers are arguments.
struct CableMonitor {
  /// The time of two missed pings.
  static let staleThreshold = Duration.seconds(6)
  private static let growth = 0.15
  private static let highestExponent = 10.0

  /// How often a poll found the connection stale since the last welcome.
  private(set) var attempts = 0
  /// When the next poll is due; nil while stopped.
  private(set) var nextPoll: Duration?
  private var startedAt = Duration.zero
  private var pingedAt: Duration?
  private var disconnectedAt: Duration?

  var isRunning: Bool { nextPoll != nil }

  /// The time between polls: 6 s × 1.15^n, and up to 15 % more, or up to 100 % more at n = 0.
  ///
  /// - Parameter random: from 0 up to, not including, 1.
  static func interval(attempts: Int, random: Double) -> Duration {
    let backoff = pow(1 + growth, min(Double(attempts), highestExponent))
    let jitter = (attempts == 0 ? 1 : growth) * random
    // Rounded up to whole microseconds, the resolution of clocks: a timer must not fire too early.
    return .microseconds(Int64((6_000_000 * backoff * (1 + jitter)).rounded(.up)))
  }

  mutating func start(_ now: Duration, _ random: () -> Double) {
    if isRunning { return }
    startedAt = now
    arm(now, random)
  }

  mutating func stop() { nextPoll = nil }

  /// Notes a message, which is a sign of life.
  mutating func noteMessage(_ now: Duration) { pingedAt = now }

  mutating func noteWelcome() {
    attempts = 0
    disconnectedAt = nil
  }

  mutating func noteDisconnect(_ now: Duration) { disconnectedAt = now }

  func isStale(_ now: Duration) -> Bool { now - (pingedAt ?? startedAt) > Self.staleThreshold }

  /// Polls, if that is due; returns true when another connection has to be tried.
  mutating func poll(_ now: Duration, _ random: () -> Double) -> Bool {
    guard let nextPoll, nextPoll <= now else { return false }
    defer { arm(now, random) }
    guard isStale(now) else { return false }
    attempts += 1
    // A connection that ended a moment ago, by either side, is not replaced at this poll.
    return disconnectedAt.map { now - $0 >= Self.staleThreshold } ?? true
  }

  private mutating func arm(_ now: Duration, _ random: () -> Double) {
    nextPoll = now + Self.interval(attempts: attempts, random: random())
  }
}
