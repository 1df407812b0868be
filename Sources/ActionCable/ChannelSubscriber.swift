/// One local subscriber of an identifier: its state, and the calls that wait for the confirmation.
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

  /// Adds a call to those that wait.
  mutating func buffer(_ perform: CableCall) throws(CableError) {
    guard case .buffer(let limit) = buffering, isWanted, state == .pending else {
      throw .notSubscribed(state)
    }
    if waiting.count >= limit { throw .bufferFull(limit: limit) }
    waiting.append(perform)
  }

  /// Removes and returns the calls that wait.
  mutating func takeWaiting() -> [CableCall] {
    defer { waiting = [] }
    return waiting
  }
}
