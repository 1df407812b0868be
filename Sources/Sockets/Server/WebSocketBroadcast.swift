/// What became of a message to many.
public struct WebSocketBroadcast: Sendable {
  /// How many connections it was sent to.
  public internal(set) var sent = 0
  /// Those that it was not sent to, because they have not yet taken what came before.
  public internal(set) var slow: [WebSocket] = []
}

/// What happens to a client that takes messages more slowly than they come.
public enum SlowClients: Hashable, Sendable {
  /// The message is not sent to it; the next one is, if it has caught up.
  case skipped
  /// It is closed with 1013 (try again later), and dropped after `closeTimeout`.
  case closed
}

extension WebSocketServer {
  /// Sends a message to all connections that are open.
  ///
  /// From any thread, and without waiting for anybody: what a client does not take at once waits in
  /// memory, up to a limit for each of them.
  ///
  /// It is compressed once for all who agreed upon the same window, and refers to nothing that was sent before.
  ///
  /// - Parameters:
  ///   - message: the message; each client gets it whole, or not at all.
  ///   - limit: a client for which more bytes than this wait is slow: 1 MiB.
  ///   - slowClients: what happens to those: they are skipped.
  ///   - isMeant: who of those that are open gets it: everybody.
  /// - Returns: how many got it, and who was slow.
  @discardableResult
  public func broadcast(
    _ message: WebSocketMessage,
    limit: Int = 1 << 20,
    slowClients: SlowClients = .skipped,
    to isMeant: (WebSocket) -> Bool = { _ in true }
  ) -> WebSocketBroadcast {
    sockets.broadcast(message, limit: limit, slowClients: slowClients, to: isMeant)
  }
}

extension ConnectionRegistry {
  func broadcast(
    _ message: WebSocketMessage,
    limit: Int,
    slowClients: SlowClients,
    to isMeant: (WebSocket) -> Bool
  ) -> WebSocketBroadcast {
    var broadcast = WebSocketBroadcast()
    let prepared = PreparedMessage(message)
    for socket in all where socket.state == .connected && isMeant(socket) {
      switch socket.offer(prepared, limit: limit) {
      case .sent: broadcast.sent += 1
      case .full:
        broadcast.slow.append(socket)
        if slowClients == .closed { socket.close(code: .tryAgainLater, reason: "too slow") }
      case .notConnected: break
      }
    }
    return broadcast
  }
}

extension WebSocket {
  enum Offer { case sent, full, notConnected }

  /// Sends a message, unless more than `limit` bytes wait to be written.
  fileprivate func offer(_ message: PreparedMessage, limit: Int) -> Offer {
    var offer = Offer.full
    do throws(WebSocketError) {
      try driver.send { connection throws(SendError) in
        guard connection.queuedBytes <= limit else { return }
        try connection.send(message)
        offer = .sent
      }
    } catch {
      return .notConnected
    }
    return offer
  }
}
