#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Matches this side's pings with their pongs and measures round trips: a plain value.
///
/// A ping with a payload of the application is not recorded here.
struct PingLedger {
  /// A numbered ping and the time at which it was sent.
  struct Sent: Sendable {
    fileprivate let number: UInt64
    fileprivate let time: Duration

    /// The payload of the ping and of its pong.
    var payload: Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
  }

  /// Called with the payload of each pong, on the loop.
  var observer: (@Sendable (Data) -> Void)?
  /// The round trip of the last answered ping.
  private(set) var lastRoundTrip: Duration?

  private var count: UInt64 = 0
  private var waiting = WaitingTasks<Sent, Duration>()
  /// The keepalive's last ping, for which no task waits.
  private var unattended: Sent?

  /// When the keepalive's unanswered ping was sent; nil when its pong has arrived.
  var unansweredSince: Duration? { unattended?.time }

  /// Creates the next ping, which has to be sent before another is created.
  mutating func make(at now: Duration) -> Sent {
    count += 1
    return Sent(number: count, time: now)
  }

  /// Adds a task that waits for the pong of a ping.
  mutating func expect(
    _ ping: Sent,
    by task: WaitingTask<Duration>,
    _ continuation: WaitingTasks<Sent, Duration>.Continuation
  ) { waiting.add(ping, for: task, continuation) }

  /// Records a ping of the keepalive, for which no task waits.
  mutating func note(_ ping: Sent) { unattended = ping }

  /// Handles a pong: returns the tasks that it answers, with their round trips.
  ///
  /// RFC 6455, 5.5.3: a peer may answer only the last of several pings, which answers all of them.
  mutating func receive(
    _ payload: Data,
    at now: Duration
  ) -> [(WaitingTasks<Sent, Duration>.Continuation, Duration)] {
    guard payload.count == MemoryLayout<UInt64>.size else { return [] }
    let number = payload.reduce(0) { $0 << 8 | UInt64($1) }
    if let ping = unattended, ping.number == number {
      unattended = nil
      lastRoundTrip = now - ping.time
    }
    var answered: [(WaitingTasks<Sent, Duration>.Continuation, Duration)] = []
    while let ping = waiting.first(), ping.number <= number, number <= count {
      guard let (ping, continuation) = waiting.popFirst() else { break }
      lastRoundTrip = now - ping.time
      answered.append((continuation, now - ping.time))
    }
    return answered
  }

  /// Removes all waiting tasks, since no pong can arrive any more.
  mutating func removeAll() -> [WaitingTasks<Sent, Duration>.Continuation] { waiting.removeAll() }
}
