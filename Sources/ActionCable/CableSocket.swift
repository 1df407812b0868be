#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A socket that counts its written bytes, by which a cable decides whether calls may be lost.
protocol CableSocket: WebSocketType {
  /// Sends a message, and returns the lowest possible position of its end in this side's bytes.
  ///
  /// - Throws: `notConnected`; nothing is sent then.
  func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int

  /// How many of this side's bytes are written, at most: a write that is under way counts.
  ///
  /// The value is final once `events` has completed.
  var writtenCount: Int { get }

  /// Sends a ping behind all messages; returns false, without a ping, when it would overtake one.
  ///
  /// - Throws: `notConnected`.
  func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool

  /// Calls `body` with the payload of each pong, in order with `events` and on their thread.
  ///
  /// Set before the socket connects.
  func observePongs(_ body: @escaping @Sendable (Data) -> Void)
}

extension WebSocket: CableSocket {}
