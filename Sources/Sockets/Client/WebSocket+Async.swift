#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// An operation whose task is cancelled while it waits has had no effect.

/// Connecting, closing and pinging as async calls.
extension WebSocket {
  /// Connects, unless that has begun, and returns once messages can be sent and received.
  ///
  /// When the task is cancelled, it throws `CancellationError` and the WebSocket continues to
  /// connect; `close()` ends that.
  ///
  /// - Throws: the ``WebSocketError`` of the failure; `notConnected` when it was closed.
  public func connected() async throws {
    connect()
    for try await last in states.values {
      // The state may have changed since `connected` was emitted.
      let state = last == .connected ? self.state : last
      switch state {
      case .idle, .connecting: continue
      case .connected: return
      case .disconnecting, .disconnected: throw driver.outcome?.error ?? .notConnected(state)
      }
    }
    throw CancellationError()
  }

  /// Returns once the WebSocket is closed, with its close code and reason.
  ///
  /// They are those of ``WebSocketEvent/disconnected(code:reason:)``. This method does not close.
  /// The example closes, then waits for the peer, for at most `closeTimeout`:
  ///
  /// ```swift
  /// socket.close(reason: "bye")
  /// try await socket.closed()
  /// ```
  ///
  /// - Throws: only `CancellationError`.
  @discardableResult
  public func closed() async throws -> (code: CloseCode, reason: String) {
    for try await state in states.values where state == .disconnected {
      let outcome = driver.outcome ?? CloseOutcome()
      return (outcome.code, outcome.reason)
    }
    throw CancellationError()
  }

  /// Sends a ping, and returns the time until its pong arrives.
  ///
  /// A pong of a later ping counts too, since a peer may answer only the last one.
  ///
  /// - Throws: `notConnected` when the connection is not open, or closes before the pong arrives;
  ///   `CancellationError`.
  @discardableResult
  public func ping() async throws -> Duration { try await driver.ping() }
}

/// Receiving without a subscription.
extension WebSocket {
  /// The messages for `for try await`, read no faster than the loop takes them.
  ///
  /// Each value of this property is for one consumer, and receives all messages that arrive after
  /// the value was made. While a consumer holds 16 messages or 1 MiB that it has not taken, reading
  /// from the peer pauses; pings that were read before are answered, and `close()` takes effect.
  /// Messages that arrive during the close and do not fit are discarded.
  public var values: WebSocketMessages {
    WebSocketMessages(socket: self, window: BoundedMessageBuffer(streams, driver))
  }

  /// Returns the next message, and waits for one if there is none.
  ///
  /// The first call subscribes. From then on messages are kept for the next call, as for `values`,
  /// so a program that begins to receive continues until this throws. Earlier messages are received
  /// only if the WebSocket had no other observer. With other observers, begin to receive before you
  /// send a message that is answered. When several tasks receive, each message goes to one of them.
  /// A cancelled call takes no message.
  ///
  /// - Throws: after the last message, on each call, the ``WebSocketError`` that the WebSocket
  ///   failed with, or `closed`; `CancellationError`.
  public func receive() async throws -> WebSocketMessage {
    let window = inbox.object { Inbox(nil) }.withLock { window in
      let made = window ?? BoundedMessageBuffer(streams, driver)
      window = made
      return made
    }
    switch await window.next() {
    case .message(let message): return message
    case .cancelled: throw CancellationError()
    case .ended(let error):
      let outcome = driver.outcome ?? CloseOutcome()
      throw error ?? .closed(code: outcome.code, reason: outcome.reason)
    }
  }

  typealias Inbox = Locked<BoundedMessageBuffer?>
}

/// Sending no faster than the peer reads.
extension WebSocket {
  /// Whether the queue is below `sendHighWaterMark` or, once it was above, down to half of it.
  public var isWritable: Bool { driver.isWritable }

  /// Whether there is room to send more, beginning with the current; completes after
  /// `disconnected`.
  public var writability: Observable<Bool> {
    Observable(.direct) { [self] down in
      down.lifetime.add(ActionDisposable { withExtendedLifetime(self) {} })
      streams.writability(isWritable: isWritable).add(down, replaysAfterEnd: true)
      // A change since `isWritable` was read had no observer, so the loop checks again.
      driver.loop.execute { [driver] in driver.flushAndUpdateReading() }
    }
  }

  /// Sends a message once there is room for it.
  ///
  /// There is room while the queue is below `sendHighWaterMark`; once above, when half of that is
  /// written. Waiting calls are served in their order; `send` bypasses them. A cancelled call has
  /// sent the whole message or, if it throws, nothing.
  ///
  /// The name differs from `send` because Swift prefers the async one of two functions with the
  /// same name in an async context, so that the other could not be called there.
  ///
  /// - Throws: `notConnected` when the connection is not open, or closes before there is room;
  ///   `CancellationError`.
  public func sendWhenWritable(_ message: WebSocketMessage) async throws {
    try await driver.sendWhenWritable(.message(message))
  }

  /// Sends a text message once there is room for it.
  public func sendWhenWritable(_ text: String) async throws {
    try await sendWhenWritable(.text(text))
  }

  /// Sends a binary message once there is room for it.
  public func sendWhenWritable(_ data: Data) async throws {
    try await sendWhenWritable(.binary(data))
  }

  /// Sends the texts of a sequence as one text message, each as a fragment once there is room.
  ///
  /// The message ends with the sequence. From its first fragment on, all other messages are queued,
  /// and count as such; pings, pongs and the close frame go between. Fragments are not compressed.
  /// A message that was begun cannot be taken back: when the sequence throws, or the task is
  /// cancelled, the WebSocket closes with 1011. If it closes before the last fragment, queued
  /// messages are not sent.
  ///
  /// - Throws: errors of the sequence; `notConnected`, `CancellationError`.
  public func sendFragments<Texts: AsyncSequence>(
    of texts: Texts,
    isolation: isolated (any Actor)? = #isolation
  ) async throws where Texts.Element == String {
    try await sendFragments(.text, of: texts) { Data($0.utf8) }
  }

  /// Sends the data of a sequence as one binary message, each part as a fragment.
  public func sendFragments<Parts: AsyncSequence>(
    of parts: Parts,
    isolation: isolated (any Actor)? = #isolation
  ) async throws where Parts.Element == Data {
    try await sendFragments(.binary, of: parts) { $0 }
  }

  private func sendFragments<Parts: AsyncSequence>(
    _ opcode: Opcode,
    of parts: Parts,
    isolation: isolated (any Actor)? = #isolation,
    bytes: (Parts.Element) -> Data
  ) async throws {
    var hasBegun = false
    do {
      var iterator = parts.makeAsyncIterator()
      while let part = try await iterator.next(isolation: isolation) {
        try await driver.sendWhenWritable(
          .fragment(opcode, bytes(part), isFirst: !hasBegun, isFinal: false))
        hasBegun = true
      }
      // Only the sequence's end shows which part was the last, so an empty fragment follows.
      try await driver.sendWhenWritable(
        .fragment(opcode, Data(), isFirst: !hasBegun, isFinal: true))
    } catch {
      if hasBegun { close(code: .internalError, reason: "a message came to no end") }
      throw error
    }
  }
}
