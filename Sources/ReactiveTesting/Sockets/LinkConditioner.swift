/// The simulated latency and loss of one direction of a link.
///
/// It decides when bytes are delivered, how many of them, and when the connection ends.
struct LinkConditioner {
  /// The time between the receipt and the delivery of bytes, and of the end.
  let delay: Duration
  private let cutAfter: Int?
  private let dropAfter: Int?
  /// How many of the bytes received so far are delivered, or will be after the delay.
  private(set) var passedCount = 0
  var isSilent = false

  /// How many of the received bytes are delivered, and whether the connection ends after them.
  struct Decision: Equatable {
    let passedCount: Int
    let cutsConnection: Bool
  }

  init(_ conditions: WebSocketLink.Conditions) {
    delay = conditions.delay
    cutAfter = conditions.cutAfter
    dropAfter = conditions.dropAfter
  }

  /// Decides about the next `count` received bytes.
  mutating func receive(_ count: Int) -> Decision {
    if isSilent { return Decision(passedCount: 0, cutsConnection: false) }
    let limit = min(cutAfter ?? .max, dropAfter ?? .max)
    let delivered = min(count, limit - passedCount)
    passedCount += delivered
    return Decision(passedCount: delivered, cutsConnection: passedCount == cutAfter)
  }
}
