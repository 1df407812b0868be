/// One local subscriber of an identifier: what it was told, and the calls that are its own to lose.
///
/// A pure value.
struct CableMember {
  /// How many calls that were sent it can name when the connection ends.
  private static let recentLimit = 256

  let identifier: CableIdentifier
  let buffering: CableBuffering
  var isWanted = false
  var state = CableChannelState.unsubscribed
  private var waiting: [CablePerform] = []
  private var recent: [(time: Duration, perform: CablePerform)] = []

  init(_ identifier: CableIdentifier, _ buffering: CableBuffering) {
    (self.identifier, self.buffering) = (identifier, buffering)
  }

  /// Keeps a call for later.
  mutating func buffer(_ perform: CablePerform) throws(CableError) {
    guard case .buffer(let limit) = buffering, isWanted, state == .pending else {
      throw .notSubscribed(state)
    }
    if waiting.count >= limit { throw .bufferFull(limit: limit) }
    waiting.append(perform)
  }

  /// The calls that waited, which are nobody's to wait for any more.
  mutating func takeWaiting() -> [CablePerform] {
    defer { waiting = [] }
    return waiting
  }

  /// Remembers what was sent.
  ///
  /// - Parameter lastSign: when the server was last heard.
  mutating func noteSent(_ perform: CablePerform, _ now: Duration, lastSign: Duration) {
    let oldest = Self.oldestDoubtful(lastSign)
    let arrived = recent.firstIndex { $0.time >= oldest } ?? recent.endIndex
    recent.removeFirst(max(arrived, recent.count + 1 - Self.recentLimit))
    recent.append((now, perform))
  }

  /// The calls that may not have arrived, now that the connection has ended.
  mutating func takeDoubtful(lastSign: Duration) -> [CablePerform] {
    defer { recent = [] }
    let oldest = Self.oldestDoubtful(lastSign)
    return recent.filter { $0.time >= oldest }.map(\.perform)
  }

  /// What a server did not get is at the end: sent after it was last heard, or not long before, while it
  /// had other things to do.
  private static func oldestDoubtful(_ lastSign: Duration) -> Duration {
    lastSign - CableMonitor.staleThreshold
  }
}
