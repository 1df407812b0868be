/// One local subscriber of an identifier: its state, and the calls that wait for the confirmation.
///
/// A pure value.
struct ChannelSubscriber {
  let identifier: CableIdentifier
  let buffering: CableBuffering
  var isWanted = false
  var state = CableChannelState.unsubscribed
  private var bufferedCalls: [CableCall] = []

  init(_ identifier: CableIdentifier, _ buffering: CableBuffering) {
    (self.identifier, self.buffering) = (identifier, buffering)
  }

  /// Adds a call that waits for the confirmation.
  mutating func buffer(_ perform: CableCall) throws(CableError) {
    guard case .buffer(let limit) = buffering, isWanted, state == .pending else {
      throw .notSubscribed(state)
    }
    if bufferedCalls.count >= limit { throw .bufferFull(limit: limit) }
    bufferedCalls.append(perform)
  }

  /// Removes and returns the calls that wait for the confirmation.
  mutating func takeBufferedCalls() -> [CableCall] {
    defer { bufferedCalls = [] }
    return bufferedCalls
  }
}
