/// How often a ``ReconnectingWebSocket`` connects again, and after which delays.
///
/// ```swift
/// .exponential()                              // 1, 2, 4, 8, 16, 30, 30 ... seconds, +0 to 25 %; 10 times
/// .exponential(jitter: .full)                 // anything between nothing and these
/// .linear()                                   // 1, 2, 3 ... seconds
/// .fixed(.seconds(5), maxAttempts: nil)       // every 5 seconds, for ever
/// ReconnectionStrategy(maxAttempts: 5) { $0 == 0 ? .milliseconds(100) : .seconds(2 * $0) }
/// ```
///
/// Attempts are counted from 0, the first one after a connection was lost or could not be made.
/// They are counted on from one connection to the next, unless one of them holds: see
/// ``ReconnectionConfiguration/stableAfter``.
public struct ReconnectionStrategy: Sendable {
  /// What keeps the clients of a server that comes back from coming all at once.
  public enum Jitter: Hashable, Sendable {
    /// The delays are exact.
    case none
    /// Adds up to this share of a delay: 0.25 makes 1 to 1.25 seconds of 1 second.
    case upTo(Double)
    /// Anything between nothing and the delay: what spreads clients most.
    case full
  }

  /// How many attempts follow a failure before it gives up; nil for any number.
  public var maxAttempts: Int?
  /// What is added to the delays, or left of them.
  public var jitter: Jitter
  private let delayForAttempt: @Sendable (_ attempt: Int) -> Duration

  /// A strategy of one's own.
  ///
  /// - Parameters:
  ///   - maxAttempts: how many attempts follow a failure before it gives up: 10; nil for any
  ///     number.
  ///   - jitter: none by default.
  ///   - delayForAttempt: the delay before the attempt of this number, the first of which is 0.
  public init(
    maxAttempts: Int? = 10,
    jitter: Jitter = .none,
    delayForAttempt: @escaping @Sendable (_ attempt: Int) -> Duration
  ) {
    self.maxAttempts = maxAttempts
    self.jitter = jitter
    self.delayForAttempt = delayForAttempt
  }

  /// Each delay is twice the one before: 1, 2, 4, 8, 16 and then 30 seconds, and up to 25 % more.
  public static func exponential(
    base: Duration = .seconds(1),
    cap: Duration = .seconds(30),
    maxAttempts: Int? = 10,
    jitter: Jitter = .upTo(0.25)
  ) -> ReconnectionStrategy {
    ReconnectionStrategy(maxAttempts: maxAttempts, jitter: jitter) { attempt in
      var delay = base
      // Not a power, which would overflow: the cap is reached first, or nothing grows.
      for _ in 0..<min(attempt, 64) where delay < cap { delay *= 2 }
      return min(delay, cap)
    }
  }

  /// Each delay is longer than the one before by `increment`: from 1 to 30 seconds.
  public static func linear(
    increment: Duration = .seconds(1),
    cap: Duration = .seconds(30),
    maxAttempts: Int? = 10,
    jitter: Jitter = .none
  ) -> ReconnectionStrategy {
    ReconnectionStrategy(maxAttempts: maxAttempts, jitter: jitter) { attempt in
      min(increment * (min(attempt, 1 << 20) + 1), cap)
    }
  }

  /// The same delay each time.
  public static func fixed(
    _ delay: Duration,
    maxAttempts: Int? = 10,
    jitter: Jitter = .none
  ) -> ReconnectionStrategy {
    ReconnectionStrategy(maxAttempts: maxAttempts, jitter: jitter) { _ in delay }
  }

  /// Connects once, and never again.
  public static let none = ReconnectionStrategy(maxAttempts: 0) { _ in .zero }

  /// The delay before an attempt; nil when there is to be none.
  ///
  /// - Parameter random: from 0 up to 1, without 1.
  func delay(before attempt: Int, random: Double) -> Duration? {
    if let maxAttempts, attempt >= maxAttempts { return nil }
    let delay = max(delayForAttempt(attempt), .zero)
    return switch jitter {
    case .none: delay
    case .upTo(let share): delay + delay * (share * random)
    case .full: delay * random
    }
  }
}
