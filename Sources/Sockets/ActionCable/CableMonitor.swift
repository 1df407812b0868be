#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Decides when a connection is given up and when another one is tried: the algorithm of the official
/// JavaScript client, with its numbers.
///
/// It polls for ever, also while all is well. At each poll a connection is stale when nothing came for
/// more than 6 seconds. A pure value: time and random come in.
struct CableMonitor {
  /// Two pings missed.
  static let staleThreshold = Duration.seconds(6)
  private static let growth = 0.15
  private static let highestExponent = 10.0

  /// How often the connection was found stale since the last welcome.
  private(set) var attempts = 0
  /// When it looks again; nil while it is stopped.
  private(set) var nextPoll: Duration?
  private var startedAt = Duration.zero
  private var pingedAt: Duration?
  private var disconnectedAt: Duration?

  var isRunning: Bool { nextPoll != nil }

  /// How long it waits before it looks again: 6 s × 1.15^n, and up to 15 % more; at n = 0, up to 100 %.
  ///
  /// - Parameter random: from 0 up to, not including, 1.
  static func interval(attempts: Int, random: Double) -> Duration {
    let backoff = pow(1 + growth, min(Double(attempts), highestExponent))
    let jitter = (attempts == 0 ? 1 : growth) * random
    // Whole microseconds, upwards: clocks know no smaller ones, and a timer must not come too early.
    return .microseconds(Int64((6_000_000 * backoff * (1 + jitter)).rounded(.up)))
  }

  mutating func start(_ now: Duration, _ random: () -> Double) {
    if isRunning { return }
    startedAt = now
    arm(now, random)
  }

  mutating func stop() { nextPoll = nil }

  /// Something came: a sign of life.
  mutating func noteMessage(_ now: Duration) { pingedAt = now }

  mutating func noteWelcome() {
    attempts = 0
    disconnectedAt = nil
  }

  mutating func noteDisconnect(_ now: Duration) { disconnectedAt = now }

  func isStale(_ now: Duration) -> Bool { now - (pingedAt ?? startedAt) > Self.staleThreshold }

  /// Looks, if it is time; true when another connection is to be tried.
  mutating func poll(_ now: Duration, _ random: () -> Double) -> Bool {
    guard let nextPoll, nextPoll <= now else { return false }
    defer { arm(now, random) }
    guard isStale(now) else { return false }
    attempts += 1
    // A server that has just ended a connection is left alone for a while.
    return disconnectedAt.map { now - $0 >= Self.staleThreshold } ?? true
  }

  private mutating func arm(_ now: Duration, _ random: () -> Double) {
    nextPoll = now + Self.interval(attempts: attempts, random: random())
  }
}
