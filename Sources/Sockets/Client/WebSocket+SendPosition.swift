#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far the messages of a socket have got, for a protocol that decides whether they may be lost.
extension WebSocket {
  /// Sends a message, and returns the lowest possible position of its end in this side's bytes.
  ///
  /// - Throws: `notConnected`; nothing is sent then.
  package func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int {
    try driver.send { session throws(WebSocketError) in
      try session.send(message)
      return session.sentCount
    } sentMessage: { _ in
      message
    }
  }

  /// How many of this side's bytes are written, at most: a write that is under way counts.
  ///
  /// The value is final once `events` has completed.
  package var writtenCount: Int { driver.lock.withLock { driver.session.writtenCount } }

  /// Sends a ping behind all messages; returns false, without a ping, when it would overtake one.
  ///
  /// - Throws: `notConnected`.
  package func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool {
    try driver.send { session throws(WebSocketError) in
      // 5.4: a ping would go between the frames of a message that is not framed completely.
      if session.isFraming { return false }
      try session.ping(payload)
      return true
    }
  }

  /// Calls `body` with the payload of each pong, in order with `events` and on their thread.
  ///
  /// Call it before the socket connects.
  package func observePongs(_ body: @escaping @Sendable (Data) -> Void) {
    driver.lock.withLock { driver.madeTasks().pings.observer = body }
  }
}
