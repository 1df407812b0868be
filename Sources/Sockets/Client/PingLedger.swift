#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The pings of this side and their pongs: a plain value that counts and measures.
///
/// A ping of the application's own is none of these; its payload is the application's.
struct PingLedger {
  /// A ping that has left.
  struct Sent: Sendable {
    fileprivate let number: UInt64
    fileprivate let time: Duration

    /// What it carries, and what its pong gives back.
    var payload: Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
  }

  /// Called with the payload of each pong, on the loop.
  var observer: (@Sendable (Data) -> Void)?
  /// How long the pong that came last took.
  private(set) var lastRoundTrip: Duration?

  private var count: UInt64 = 0
  private var waiting = WaitingTasks<Sent, Duration>()
  /// The last one that nobody waits for.
  private var unattended: Sent?

  /// When the last ping was sent that nobody waits for; nil when its pong has come.
  var unansweredSince: Duration? { unattended?.time }

  /// The next ping; to be sent before another one is made.
  mutating func make(at now: Duration) -> Sent {
    count += 1
    return Sent(number: count, time: now)
  }

  /// A task waits for the pong of a ping.
  mutating func expect(
    _ ping: Sent,
    by task: WaitingTask<Duration>,
    _ continuation: WaitingTasks<Sent, Duration>.Continuation
  ) { waiting.add(ping, for: task, continuation) }

  /// Nobody waits for its pong.
  mutating func note(_ ping: Sent) { unattended = ping }

  /// A pong came: whom it answers, and what.
  ///
  /// RFC 6455, 5.5.3: a peer may answer the last of several pings only, and means all of them.
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

  /// No pong will come any more: who waited for one.
  mutating func removeAll() -> [WaitingTasks<Sent, Duration>.Continuation] { waiting.removeAll() }
}
