/// How a WebSocket detects, by pings, that its peer is dead although the connection has not ended.
///
/// A ping is sent every `interval`. When no byte arrives for `timeout` after a ping, the connection
/// is dropped and the WebSocket fails with ``WebSocketError/silent(after:)``. Any byte is a sign of
/// life, and so is a peer that continues to take sent bytes. While reading is paused
/// (<doc:Messages>) the acknowledgements of the peer's TCP count instead, on Linux.
public struct WebSocketKeepalive: Hashable, Sendable {
  /// The time between two pings: 20 seconds.
  ///
  /// Shorter than the time after which routers drop silent connections.
  public var interval: Duration
  /// The longest silence after a ping: 20 seconds, or the interval when that is shorter.
  ///
  /// When `timeout` is longer than `interval`, it is the time between pings too.
  public var timeout: Duration

  /// Creates a keepalive with a ping every `interval` and a limit of `timeout`; both positive.
  public init(interval: Duration = .seconds(20), timeout: Duration? = nil) {
    let timeout = timeout ?? min(interval, .seconds(20))
    precondition(interval > .zero && timeout > .zero, "A keepalive of \(interval), \(timeout).")
    self.interval = interval
    self.timeout = timeout
  }
}

/// Decides when to ping and when to give up: a plain value without a clock.
///
///     resting --interval--> ping, listening --timeout--> sign of life: resting, or the next ping
///                                                   `--> none: dead
struct Keepalive {
  /// What follows the end of a wait.
  enum Verdict: Equatable {
    /// Send a ping, and wait.
    case ping(wait: Duration)
    /// Wait without a ping.
    case wait(Duration)
    /// The peer is dead.
    case dead
  }

  /// The low digits of the bytes that the peer's system had taken at the end of the last wait.
  private var taken: UInt32 = 0
  /// Whether bytes were queued or on their way to the peer at the end of the last wait.
  private(set) var isOwed = false
  private var isAwaitingSign = false
  private var hasSignOfLife = false

  /// Notes a sign of life of the peer.
  mutating func noteSignOfLife() { hasSignOfLife = true }

  /// Notes, at the end of a wait, how many bytes the peer's system has taken.
  ///
  /// A peer that takes queued bytes is alive, even if the ping is queued behind them. When all
  /// bytes had been taken before, only the ping is left to take, so progress does not count and an
  /// answer is needed.
  ///
  /// - Parameter isOwed: whether the peer's system has not taken all bytes.
  mutating func note(taken count: Int, isOwed: Bool) {
    let taken = UInt32(truncatingIfNeeded: count)
    // TLS adds bytes to those on their way, so the count of taken bytes may fall.
    if self.isOwed, Int32(bitPattern: taken &- self.taken) > 0 { noteSignOfLife() }
    (self.taken, self.isOwed) = (taken, isOwed)
  }

  /// Decides what follows the end of a wait.
  ///
  /// - Parameter isSilenceEvidence: whether silence means that the peer is dead. While reading is
  ///   paused it does not, unless the peer's system does not acknowledge sent bytes either.
  mutating func expire(_ plan: WebSocketKeepalive, isSilenceEvidence: Bool) -> Verdict {
    if isAwaitingSign {
      guard hasSignOfLife || !isSilenceEvidence else { return .dead }
      isAwaitingSign = false
      let rest = plan.interval - plan.timeout
      if rest > .zero { return .wait(rest) }
    }
    isAwaitingSign = true
    hasSignOfLife = false
    return .ping(wait: plan.timeout)
  }
}
