/// How a WebSocket finds out that its peer is gone, though nothing says so: by pings.
///
/// A ping leaves every `interval`. When nothing at all comes for `timeout` after one, not even its
/// pong, the connection is dropped and the WebSocket fails with ``WebSocketError/silent(after:)``. Any
/// byte counts as life, and so does a peer that goes on taking what is sent to it. While reading is paused
/// (<doc:Messages>) the acknowledgements of the peer's TCP count instead, on Linux.
public struct WebSocketKeepalive: Hashable, Sendable {
  /// The time between two pings: 20 seconds, less than routers forget a silent connection in.
  public var interval: Duration
  /// The longest silence after a ping: 20 seconds.
  ///
  /// When it is longer than `interval`, pings are that far apart.
  public var timeout: Duration

  /// A ping every `interval`, and an end after `timeout` without a byte; both have to be positive.
  public init(interval: Duration = .seconds(20), timeout: Duration = .seconds(20)) {
    precondition(interval > .zero && timeout > .zero, "A keepalive of \(interval), \(timeout).")
    self.interval = interval
    self.timeout = timeout
  }
}

/// When to ping and when to give up: a plain value that decides, without a clock.
///
///     resting --interval--> ping, listening --timeout--> heard: resting, or the next ping
///                                                   `--> not heard: dead
struct Keepalive {
  /// What follows a wait.
  enum Verdict: Equatable {
    /// Send a ping, and wait.
    case ping(wait: Duration)
    /// Wait.
    case wait(Duration)
    /// Nobody is there.
    case dead
  }

  /// How many bytes the peer's system had taken by the last wait's end, in the last digits.
  private var taken: UInt32 = 0
  /// Whether bytes were on their way to the peer, or waited for that, at the last wait's end.
  private(set) var isOwed = false
  private var isListening = false
  private var hasHeard = false

  /// The peer is alive.
  mutating func heard() { hasHeard = true }

  /// The wait is over, and the peer's system has taken so many bytes by now.
  ///
  /// A peer that takes what waits for it is alive, though a ping would come behind that. When all had been taken
  /// before, there is nothing else that it could take than the ping, and an answer counts.
  ///
  /// - Parameter isOwed: Whether it has not taken all.
  mutating func note(taken count: Int, isOwed: Bool) {
    let taken = UInt32(truncatingIfNeeded: count)
    // What is on its way may be more than what was sent, by what TLS adds, so that the difference falls.
    if self.isOwed, Int32(bitPattern: taken &- self.taken) > 0 { heard() }
    (self.taken, self.isOwed) = (taken, isOwed)
  }

  /// The wait is over.
  ///
  /// - Parameter isSilenceEvidence: Whether silence means that the peer is dead. While reading is paused it
  ///   does not, unless the peer's system does not acknowledge what is sent either.
  mutating func expire(_ plan: WebSocketKeepalive, isSilenceEvidence: Bool) -> Verdict {
    if isListening {
      guard hasHeard || !isSilenceEvidence else { return .dead }
      isListening = false
      let rest = plan.interval - plan.timeout
      if rest > .zero { return .wait(rest) }
    }
    isListening = true
    hasHeard = false
    return .ping(wait: plan.timeout)
  }
}
