/// How often failed work is tried again, and after which delays.
///
/// ```swift
/// .exponential()                              // 1, 2, 4, 8, 16, 30, 30 ... seconds, +0 to 25 %; 10 times
/// .exponential(jitter: .full)                 // anything between nothing and these
/// .linear()                                   // 1, 2, 3 ... seconds
/// .fixed(.seconds(5), maxAttempts: nil)       // every 5 seconds, for ever
/// Backoff(maxAttempts: 5) { $0 == 0 ? .milliseconds(100) : .seconds(2 * $0) }
/// ```
///
/// Attempts are counted from 0, the first after a failure.
public struct Backoff: Sendable {
  /// How delays vary, so that the clients of a restarted server do not all call it at once.
  public enum Jitter: Hashable, Sendable {
    /// The delays are exact.
    case none
    /// Adds up to this share of a delay: 0.25 makes 1 to 1.25 seconds of 1 second. A negative share
    /// adds nothing.
    case upTo(Double)
    /// Any delay between zero and the full delay, which spreads clients most.
    case full

    /// Returns `delay` with this variation; zero in place of a negative delay.
    ///
    /// - Parameter random: number from 0 up to, not including, 1.
    package func applied(to delay: Duration, random: Double) -> Duration {
      let delay = max(delay, .zero)
      return switch self {
      case .none: delay
      case .upTo(let share):
        min(delay, .seconds(Int64.max)) + Self.share(share * random, of: delay)
      case .full: Self.share(min(random, 1), of: delay)
      }
    }

    /// Returns `share` of `delay`: nothing for a share that is negative or no number.
    private static func share(_ share: Double, of delay: Duration) -> Duration {
      // 30,000 years, a million times: a product beyond the range of a Duration would trap.
      min(delay, .seconds(1 << 40)) * min(max(0, share), 1_000_000)
    }
  }

  /// The number of attempts after a failure; nil for no limit.
  public var maxAttempts: Int?
  /// How delays vary.
  public var jitter: Jitter
  private let delayForAttempt: @Sendable (_ attempt: Int) -> Duration

  /// Custom delays.
  ///
  /// - Parameters:
  ///   - maxAttempts: number of attempts after a failure: 10; nil for no limit.
  ///   - jitter: none by default.
  ///   - delayForAttempt: returns the delay before an attempt, the first of which is 0.
  public init(
    maxAttempts: Int? = 10,
    jitter: Jitter = .none,
    delayForAttempt: @escaping @Sendable (_ attempt: Int) -> Duration
  ) {
    self.maxAttempts = maxAttempts
    self.jitter = jitter
    self.delayForAttempt = delayForAttempt
  }

  /// Delays that double: 1, 2, 4, 8, 16 and then 30 seconds, and up to 25 % more.
  public static func exponential(
    base: Duration = .seconds(1),
    cap: Duration = .seconds(30),
    maxAttempts: Int? = 10,
    jitter: Jitter = .upTo(0.25)
  ) -> Backoff {
    Backoff(maxAttempts: maxAttempts, jitter: jitter) { attempt in
      let cap = min(cap, .seconds(Int64.max))
      var delay = max(base, .zero)
      // A power could overflow. Doubling stops at the cap; 64 steps are enough, or `base` is zero.
      for _ in 0..<min(attempt, 64) where delay < cap { delay *= 2 }
      return min(delay, cap)
    }
  }

  /// Delays that grow by `increment`: from 1 to 30 seconds.
  public static func linear(
    increment: Duration = .seconds(1),
    cap: Duration = .seconds(30),
    maxAttempts: Int? = 10,
    jitter: Jitter = .none
  ) -> Backoff {
    Backoff(maxAttempts: maxAttempts, jitter: jitter) { attempt in
      // 30,000 years, a million times: a product beyond the range of a Duration would trap.
      min(min(max(increment, .zero), .seconds(1 << 40)) * (min(attempt, 1 << 20) + 1), cap)
    }
  }

  /// The same delay each time.
  public static func fixed(
    _ delay: Duration,
    maxAttempts: Int? = 10,
    jitter: Jitter = .none
  ) -> Backoff {
    Backoff(maxAttempts: maxAttempts, jitter: jitter) { _ in delay }
  }

  /// No attempt after a failure.
  public static let none = Backoff(maxAttempts: 0) { _ in .zero }

  /// The delay before an attempt; nil when all attempts are used.
  ///
  /// - Parameter random: number from 0 up to, not including, 1.
  package func delay(before attempt: Int, random: Double) -> Duration? {
    if let maxAttempts, attempt >= maxAttempts { return nil }
    return jitter.applied(to: delayForAttempt(attempt), random: random)
  }
}
