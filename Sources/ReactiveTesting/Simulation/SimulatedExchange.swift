/// What the two ends of a connection have sent to each other and not received: each message arrives once at most, in
/// its order, whatever happens to the bytes.
final class SimulatedExchange {
  /// One end of the connection.
  struct End {
    let exchange: SimulatedExchange
    /// 0 for the end that has connected, 1 for the other one.
    fileprivate let side: Int

    var other: End { End(exchange: exchange, side: 1 - side) }

    /// Notes that the socket of this end reports what happens.
    func report() { exchange.sides[side].reports = true }

    /// Notes a message that the program has sent.
    func send(_ message: WebSocketMessage) {
      exchange.sides[side].sent.append(Self.hash(of: message))
    }

    /// Whether a message that is received is the next one that the other end has sent.
    func receive(_ message: WebSocketMessage) -> Bool {
      guard exchange.sides[1 - side].reports else { return true }
      return exchange.sides[1 - side].sent.popFirst() == Self.hash(of: message)
    }

    /// Whether the socket of this end has ended.
    var hasEnded: Bool { exchange.sides[side].hasEnded }

    /// Whether this is the first end of the socket.
    func end() -> Bool {
      defer { exchange.sides[side].hasEnded = true }
      return !exchange.sides[side].hasEnded
    }

    private static func hash(of message: WebSocketMessage) -> UInt64 {
      var hash = SimulationHash()
      switch message {
      case .text(let text): hash.add(text)
      case .binary(let data):
        hash.add(1)
        data.withUnsafeBytes { hash.add($0) }
      }
      return hash.value
    }
  }

  private struct Side {
    var reports = false
    var hasEnded = false
    var sent = Fifo<UInt64>()
  }

  private var sides = [Side(), Side()]

  /// The end that connects.
  var connecting: End { End(exchange: self, side: 0) }
}
