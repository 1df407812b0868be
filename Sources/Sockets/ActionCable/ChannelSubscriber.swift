/// One local subscriber of an identifier: what it was told, and the calls that wait for its confirmation.
///
/// A pure value.
struct ChannelSubscriber {
  let identifier: CableIdentifier
  let buffering: CableBuffering
  var isWanted = false
  var state = CableChannelState.unsubscribed
  private var waiting: [CableCall] = []

  init(_ identifier: CableIdentifier, _ buffering: CableBuffering) {
    (self.identifier, self.buffering) = (identifier, buffering)
  }

  /// Keeps a call for later.
  mutating func buffer(_ perform: CableCall) throws(CableError) {
    guard case .buffer(let limit) = buffering, isWanted, state == .pending else {
      throw .notSubscribed(state)
    }
    if waiting.count >= limit { throw .bufferFull(limit: limit) }
    waiting.append(perform)
  }

  /// The calls that waited, which are nobody's to wait for any more.
  mutating func takeWaiting() -> [CableCall] {
    defer { waiting = [] }
    return waiting
  }
}
