#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A socket that knows how far its messages have come, for a cable that reports what became of its calls.
protocol CableSocket: WebSocketType {
  /// Sends a message, and returns where it ends in the bytes that this side sends, at the earliest.
  ///
  /// - Throws: `notConnected`; nothing is sent then.
  func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int

  /// How many of the bytes that this side sends are written, at most: a write that is under way counts.
  ///
  /// Final once `events` has completed.
  var writtenCount: Int { get }

  /// Sends a ping behind all messages that were sent; false, and nothing is sent, when it would overtake one.
  ///
  /// - Throws: `notConnected`.
  func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool

  /// Calls `body` with the payload of each pong, in order with `events` and on their thread; set before it
  /// connects.
  func observePongs(_ body: @escaping @Sendable (Data) -> Void)
}

extension WebSocket: CableSocket {
  func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int {
    let (end, flushTime) = try driver.lock.withLock { () throws(WebSocketError) in
      try driver.session.send { connection throws(SendError) in try connection.send(message) }
      return (driver.session.sentCount, driver.scheduleFlush())
    }
    driver.perform(flushTime)
    return end
  }

  var writtenCount: Int { driver.lock.withLock { driver.session.writtenCount } }

  func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool {
    let flushTime = try driver.lock.withLock {
      () throws(WebSocketError) -> ConnectionDriver.FlushTime? in
      // 5.4: a ping goes between the frames of what is not framed yet.
      if driver.session.isFraming { return nil }
      try driver.session.send { connection throws(SendError) in try connection.ping(payload) }
      return driver.scheduleFlush()
    }
    guard let flushTime else { return false }
    driver.perform(flushTime)
    return true
  }

  func observePongs(_ body: @escaping @Sendable (Data) -> Void) {
    driver.lock.withLock { driver.madeTasks().pings.observer = body }
  }
}
