/// The result of a broadcast.
public struct WebSocketBroadcast: Sendable {
  /// The number of connections that it was sent to.
  public internal(set) var sent = 0
  /// The slow connections, which did not get it: too many earlier bytes are not written yet.
  public internal(set) var slow: [WebSocket] = []
}

/// The treatment of clients that read more slowly than messages are sent.
public enum SlowClients: Hashable, Sendable {
  /// The client does not get this message; it gets the next one if it has caught up.
  case skipped
  /// The client is closed with 1013 (try again later), and dropped after `closeTimeout`.
  case closed
}

extension WebSocketServer {
  /// Sends a message to all connections that are open.
  ///
  /// Call it from any thread. It waits for no client: bytes that a client does not accept at once
  /// wait in memory, up to the limit of each client.
  ///
  /// The message is compressed once for all connections with the same window, and refers to no
  /// earlier message.
  ///
  /// - Parameters:
  ///   - message: message to send; each client gets it whole or not at all
  ///   - limit: unwritten bytes above which a client is slow: 1 MiB
  ///   - slowClients: treatment of slow clients: they are skipped
  ///   - isMeant: selects the connections among the open ones: all by default
  /// - Returns: The number of connections that got it, and the slow ones.
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
      broadcast.send(prepared, to: socket, limit: limit, slowClients: slowClients)
    }
    return broadcast
  }
}

extension WebSocketBroadcast {
  /// Sends a message to one connection, unless it is slow or not open.
  mutating func send(
    _ prepared: PreparedMessage, to socket: WebSocket, limit: Int, slowClients: SlowClients
  ) {
    // A connection that has closed meanwhile is neither served nor slow.
    let isSent = try? socket.driver.send { session throws(WebSocketError) in
      if session.state == .connected, session.codec.queuedBytes > limit { return false }
      try session.send(prepared)
      return true
    } sentMessage: { isSent in
      isSent ? prepared.message : nil
    }
    guard let isSent else { return }
    if isSent {
      sent += 1
    } else {
      slow.append(socket)
      if slowClients == .closed { socket.close(code: .tryAgainLater, reason: "too slow") }
    }
  }
}
